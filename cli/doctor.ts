import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Channel } from '#leads/channels/channel-type.ts'
import { channels, findSettings } from '#leads/channels/channels.ts'
import { system } from '#leads/channels/system.ts'
import type { Context } from '#leads/context.ts'
import { listProblems } from '#leads/health/check.ts'
import { healthChecks } from '#leads/health/checks.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { listSamplePaths, readMachineFacts } from '#server/machine-facts.ts'
import { readContent } from '#site/build/check-content.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { checkLocally, type Finding, type RawEnv } from './doctor/checks.ts'
import { readDatabase } from './doctor/database.ts'
import { findShownPage } from './doctor/page.ts'
import { checkSite, readSite, readWarnings } from './doctor/site-checks.ts'
import { explainError, makeSafeJson, parseTyped, UsageError } from './terminal.ts'

const help = `Lists what is left to do before this site can go live. It does not change leads or settings.

  npm run doctor               run all checks
  npm run doctor -- --send     also send a test to every recipient of alerts
  npm run -s doctor -- --json  print JSON

Exits with 0 if nothing is left to do, 1 if something is, and 2 if the checks could
not run (unknown option, invalid settings or content).
`

export type DoctorDeps = {
  /** The root folder of the checkout. */
  root: string
  raw: RawEnv
  /** Reads site/content.ts. Throws an error that explains the first mistakes. */
  readContent: () => Promise<Content>
  fetch: typeof globalThis.fetch
  pause: (ms: number) => Promise<void>
  now: () => number
}

const flag = { type: 'boolean' } as const
const options = { json: flag, send: flag, help: { ...flag, short: 'h' } } as const

/** Returns the exit code and the text to print. */
export async function runDoctor(args: readonly string[], deps: DoctorDeps) {
  try {
    const { values } = parseTyped({ args: [...args], options })
    if (values.help) return { code: 0, text: help }
    const content = await deps.readContent()
    const env = readEnv(deps.raw)
    const results = await runChecks(env, content, values.send ?? false, deps)
    const ready = !results.some(({ state }) => state === 'to do')
    const text = values.json ? `${makeSafeJson({ ready, results }, 2)}\n` : format(results)
    return { code: ready ? 0 : 1, text }
  } catch (error) {
    const hint = error instanceof UsageError ? '. Try: npm run doctor -- --help' : ''
    return { code: 2, text: `${explainError(error)}${hint}\n` }
  }
}

async function runChecks(env: Env, file: Content, sends: boolean, deps: DoctorDeps) {
  const { root, raw, fetch, now } = deps
  // Run the checks concurrently, because each may take seconds.
  const consentVersion = file.form.consent.version
  const reading = readDatabase(env, raw, { now, consentVersion })
  const readDevices = async () => (await reading).database?.devices ?? []
  const findShown = async () => findShownPage(file, (await reading).pages ?? [], now())
  const checkAllChannels = async () => {
    const { hours } = (await findShown()).content
    const context = { ...system, ...deps, env, hours: () => hours, readDevices }
    return checkChannels(context, sends)
  }
  const [channelFindings, database, site] = await Promise.all([
    checkAllChannels(),
    reading,
    readSite(env, raw, fetch),
  ])
  const { content, ...page } = await findShown()
  const machine =
    database.leadsAre === 'here'
      ? await readMachineFacts(env, raw, content)
      : { samples: listSamplePaths(content) }
  const reported = site ? readWarnings(site.health) : undefined
  const problems = listProblems(healthChecks, 'doctor', {
    env,
    hours: content.hours,
    now: now(),
    isPublic: true,
    machine,
    ...database,
    ...page,
    isFileGone: database.leadsAre === 'gone' || reported?.includes('database-file-gone'),
  })
  return [
    ...checkLocally({ ...database, env, now: now(), root, raw, content: fillIn(content), sends }),
    ...problems.map(
      ({ id, severity, text, next }): Finding => ({
        id,
        state: severity === 'note' ? 'check' : 'to do',
        text,
        next,
      }),
    ),
    ...checkSite({ env, raw, site, known: problems.map(({ id }) => id) }),
    ...channelFindings,
  ]
}

async function checkChannels(
  context: Omit<Context, 'db' | 'company' | 'log'>,
  sends: boolean,
): Promise<Finding[]> {
  const findings = channels.map(async (channel: Channel) => {
    const settings = findSettings(channel, context)
    return settings === undefined ? [] : channel.doctorCheck({ ...context, settings }, { sends })
  })
  return (await Promise.all(findings)).flat()
}

function format(results: readonly Finding[]): string {
  const [toDo, toCheck] = (['to do', 'check'] as const).map(
    (state) => results.filter((result) => result.state === state).length,
  )
  const total = `${toDo === 0 ? 'Nothing' : toDo} to do${toCheck ? `, ${toCheck} to check` : ''}.`
  return [...results.map(formatResult), total].map((text) => `${text}\n`).join('\n')
}

const indent = '\n'.padEnd(8)
const formatResult = ({ state, text, next }: Finding) =>
  `${state.padEnd(7)}${wrap(text)}${next ? `${indent}→ ${wrap(next, '  ')}` : ''}`

/** Wraps to 80 columns. */
const wrap = (text: string, more = '') =>
  (makeSafe(text).match(/.{1,70}(?= |$)|\S+/g) ?? [])
    .map((line) => line.trimStart())
    .join(indent + more)

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const deps = {
    ...{ root, raw: process.env, fetch, pause, now: Date.now },
    readContent,
  }
  const { code, text } = await runDoctor(process.argv.slice(2), deps)
  const output = code === 2 ? process.stderr : process.stdout
  // A mail server or database that hangs must not keep the process alive.
  output.on('error', () => process.exit(code))
  output.write(text, () => process.exit(code))
}
