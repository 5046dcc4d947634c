import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { brand } from '#site/brand/brand.ts'
import { checkAirtable } from './doctor/airtable.ts'
import { checkAlerts, proposeTests, sendTests } from './doctor/alerts.ts'
import { type Check, listChecks } from './doctor/check.ts'
import { checkBackups, checkDatabase, countPhones } from './doctor/database.ts'
import { checkLook } from './doctor/look.ts'
import { type AddressDeps, checkPublicAddress } from './doctor/public-address.ts'
import { checkEnvFile, checkTimeZone, type Given } from './doctor/settings.ts'
import { type Content, checkWords } from './doctor/words.ts'
import { explainError, makeSafeJson } from './terminal.ts'
import { parseTyped, UsageError } from './usage.ts'

const help = `What still stands between this checkout and a live site. Changes nothing.

  npm run doctor               look at everything
  npm run doctor -- --send     also send a test mail, text message and webhook call
  npm run -s doctor -- --json  for programs

Ends with 0 when nothing stands in the way, 1 when something is to do, 2 when it
could not look (unknown option, settings or words that make no sense).
`

export type DoctorDeps = AddressDeps & {
  /** The checkout. */
  root: string
  given: Given
  /** Reads site/content.ts, which a typo can make unreadable. */
  readContent: () => Promise<Content>
  pause: (ms: number) => Promise<void>
}

const flag = { type: 'boolean' } as const
const options = { json: flag, send: flag, help: { ...flag, short: 'h' } } as const

/** Returns the exit code and what there is to say. */
export async function runDoctor(args: readonly string[], deps: DoctorDeps) {
  try {
    const { values } = parseTyped({ args: [...args], options })
    if (values.help) return { code: 0, text: help }
    const env = readEnv(deps.given)
    const content = await deps.readContent().catch(explainUnreadable)
    const groups = await examine(env, content, values.send ?? false, deps)
    const ready = !groups.some(({ checks }) => checks.some(({ state }) => state === 'to do'))
    const text = values.json ? `${makeSafeJson({ ready, groups })}\n` : formatScreen(groups)
    return { code: ready ? 0 : 1, text }
  } catch (error) {
    const hint = error instanceof UsageError ? '. Try: npm run doctor -- --help' : ''
    return { code: 2, text: `${explainError(error)}${hint}\n` }
  }
}

function explainUnreadable({ message, stack = '' }: Error): never {
  const [, line] = stack.match(/content\.ts:(\d+)/) ?? []
  const place = line === undefined ? '' : ` line ${line}`
  throw new UserError(
    `site/content.ts${place} cannot be read: ${message}.\nWords stand between '…', and an apostrophe among them is written \\'.`,
  )
}

/** In the order in which an owner would do things. What asks others runs at the same time. */
async function examine(env: Env, content: Content, send: boolean, deps: DoctorDeps) {
  const { root, given, now } = deps
  const [airtable, tests, database, phones, publicAddress] = await Promise.all([
    checkAirtable(env, deps),
    send ? sendTests(env, deps) : proposeTests(env),
    checkDatabase(env, given),
    countPhones(env),
    checkPublicAddress(env, given, deps),
  ])
  const groups = {
    'Your words': [checkWords(content), checkLook({ root, brand, name: content.company.name })],
    'Where leads go': [checkEnvFile(join(root, '.env'), given), airtable],
    'Who is told, and reminded': [
      checkAlerts(env, given, phones),
      tests,
      checkTimeZone(env, given),
    ],
    'Where leads are kept': [database, checkBackups(env, given, now())],
    'The public address': publicAddress,
  }
  return Object.entries(groups).map(([title, found]) => ({ title, checks: listChecks(found) }))
}

function formatScreen(groups: readonly { title: string; checks: Check[] }[]): string {
  const sections = groups.map(({ title, checks }, at) =>
    [`${at + 1} ${title}`, ...checks.map(formatCheck)].join('\n'),
  )
  const count = (state: Check['state']) =>
    groups.flatMap(({ checks }) => checks).filter((check) => check.state === state).length
  const toDo = count('to do') === 0 ? 'Nothing stands in the way' : `${count('to do')} to do`
  const unknown = count('cannot tell') === 0 ? '' : `, ${count('cannot tell')} it cannot tell`
  return `${sections.join('\n\n')}\n\n${toDo}${unknown}.\n`
}

const indent = '\n'.padEnd(16)
const formatCheck = ({ state, says, next }: Check) =>
  `  ${state.padEnd(13)}${wrap(says)}${next ? `${indent}→ ${wrap(next, '  ')}` : ''}`

/** To the 80 columns of a terminal. */
const wrap = (text: string, more = '') =>
  (makeSafe(text).match(/.{1,63}(?= |$)|\S+/g) ?? [])
    .map((line) => line.trimStart())
    .join(indent + more)

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const readContent = () => import('#site/content.ts')
  const deps = { root, given: process.env, readContent, fetch, pause, now: Date.now }
  const { code, text } = await runDoctor(process.argv.slice(2), deps)
  const output = code === 2 ? process.stderr : process.stdout
  // A mail server or database that hangs must not keep doctor: it ends once all is said.
  output.on('error', () => process.exit(code))
  output.write(text, () => process.exit(code))
}
