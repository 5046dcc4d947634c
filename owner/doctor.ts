import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs, styleText } from 'node:util'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { checkAirtable } from './doctor/airtable.ts'
import { checkAlerts, proposeTests, sendTests } from './doctor/alerts.ts'
import type { Check, State } from './doctor/check.ts'
import { checkBackups, checkDatabase, type ReadStatfs } from './doctor/database.ts'
import { type AddressDeps, checkPublicAddress, readCertificate } from './doctor/public-address.ts'
import {
  checkEnvFile,
  checkKeys,
  checkPromise,
  checkProxies,
  checkPublicUrl,
  type Given,
} from './doctor/settings.ts'
import { type Content, checkWords } from './doctor/words.ts'
import { makeSafeJson, measureText } from './terminal.ts'

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
  readStatfs?: ReadStatfs
  stdout: (text: string) => void
  stderr: (text: string) => void
  color: boolean
}

export type Group = { title: string; checks: Check[] }

/** Returns the exit code. */
export async function runDoctor(args: readonly string[], deps: DoctorDeps): Promise<number> {
  let options: { json?: boolean; send?: boolean; help?: boolean }
  try {
    options = parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean' },
        send: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    const [says] = (error as Error).message.split('. ')
    deps.stderr(`${makeSafe(says ?? '')}. Try: npm run doctor -- --help\n`)
    return 2
  }
  if (options.help) {
    deps.stdout(help)
    return 0
  }
  let env: Env
  try {
    env = readEnv(deps.given)
  } catch (error) {
    deps.stderr(`${(error as Error).message}\nThey are in .env.\n`)
    return 2
  }
  let content: Content
  try {
    content = await deps.readContent()
  } catch (error) {
    deps.stderr(explainUnreadable(error as Error))
    return 2
  }
  const groups = await examine(env, content, options.send ?? false, deps)
  const states = groups.flatMap(({ checks }) => checks.map(({ state }) => state))
  const ready = !states.includes('to do')
  deps.stdout(
    options.json
      ? `${makeSafeJson({ ready, groups })}\n`
      : formatScreen(groups, { color: deps.color }),
  )
  return ready ? 0 : 1
}

function explainUnreadable({ message, stack = '' }: Error): string {
  const [, line] = stack.match(/content\.ts:(\d+)/) ?? []
  const place = line === undefined ? '' : ` line ${line}`
  return `site/content.ts${place} cannot be read: ${makeSafe(message)}.\nWords stand between '…', and an apostrophe among them is written \\'.\n`
}

/** In the order in which an owner would do things. What asks others runs at the same time. */
async function examine(
  env: Env,
  content: Content,
  send: boolean,
  deps: DoctorDeps,
): Promise<Group[]> {
  const { root, given, fetch, now } = deps
  const [airtable, tests, database, publicAddress] = await Promise.all([
    checkAirtable(env, deps),
    send ? sendTests(env, deps) : proposeTests(env),
    checkDatabase(env, given, deps.readStatfs),
    checkPublicAddress(env, given, { fetch, now, readCertificate: deps.readCertificate }),
  ])
  return [
    { title: 'Your words', checks: checkWords(content, readPicture(root)) },
    {
      title: 'Where leads go',
      checks: [checkEnvFile(join(root, '.env'), given), ...airtable],
    },
    {
      title: 'Who is told, and reminded',
      checks: [...checkAlerts(env), ...tests, ...checkPromise(env, given)],
    },
    {
      title: 'Where leads are kept',
      checks: [...database, checkBackups(env, given, now())],
    },
    {
      title: 'The public address',
      checks: [
        checkPublicUrl(env, given),
        ...checkProxies(env, given),
        checkKeys(env, given),
        ...publicAddress,
      ],
    },
  ]
}

function readPicture(root: string): Uint8Array | undefined {
  try {
    return readFileSync(join(root, 'site/public/og.jpg'))
  } catch {
    return undefined
  }
}

const colors = { ok: 'green', 'to do': 'red', 'cannot tell': 'yellow' } as const
const screenWidth = 80
const stateWidth = 'cannot tell'.length

export function formatScreen(groups: readonly Group[], { color }: { color: boolean }): string {
  const indent = ' '.repeat(2 + stateWidth + 2)
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text
  const formatCheck = ({ state, says, next }: Check): string => {
    const word = paint(colors[state], state) + ' '.repeat(stateWidth - state.length)
    const width = screenWidth - indent.length
    const lines = wrap(makeSafe(says), width)
    const steps = next === undefined ? [] : wrap(makeSafe(next), width - 2)
    return [
      `  ${word}  ${lines.join(`\n${indent}`)}`,
      ...steps.map((line, at) => indent + paint('bold', `${at === 0 ? '→' : ' '} ${line}`)),
    ].join('\n')
  }
  const sections = groups.map(({ title, checks }, at) =>
    [paint('bold', `${at + 1} ${title}`), ...checks.map(formatCheck)].join('\n'),
  )
  return `${sections.join('\n\n')}\n\n${summarize(groups)}\n`
}

function summarize(groups: readonly Group[]): string {
  const states = groups.flatMap(({ checks }) => checks.map(({ state }) => state))
  const countState = (state: State) => states.filter((one) => one === state).length
  const [toDo, unknown] = [countState('to do'), countState('cannot tell')]
  const rest = unknown === 0 ? '' : `, ${unknown} that doctor cannot tell`
  return toDo === 0 ? `Nothing stands in the way${rest}.` : `${toDo} to do${rest}.`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/ (?! )/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (measureText(longer) <= width || line === '') line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

if (import.meta.main) {
  let output = ''
  const code = await runDoctor(process.argv.slice(2), {
    root: join(import.meta.dirname, '..'),
    given: process.env,
    readContent: () => import('#site/content.ts'),
    fetch,
    readCertificate,
    pause,
    now: Date.now,
    stdout: (text) => {
      output += text
    },
    stderr: (text) => process.stderr.write(text),
    color: process.stdout.isTTY && !process.env.NO_COLOR,
  })
  // A mail server or database that hangs must not keep doctor: it ends once all is said.
  process.stdout.on('error', () => process.exit(code))
  process.stdout.write(output, () => process.exit(code))
}
