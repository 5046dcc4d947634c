import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Env, readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { checkAirtable } from './doctor/airtable.ts'
import { checkAlerts, proposeTests, sendTests } from './doctor/alerts.ts'
import { checkBackups } from './doctor/backups.ts'
import { listChecks } from './doctor/check.ts'
import { checkDatabase, type ReadStatfs } from './doctor/database.ts'
import { type AddressDeps, checkPublicAddress, readCertificate } from './doctor/public-address.ts'
import { formatScreen } from './doctor/screen.ts'
import {
  checkEnvFile,
  checkKeys,
  checkPromise,
  checkProxies,
  checkPublicUrl,
  type Given,
} from './doctor/settings.ts'
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
  readStatfs?: ReadStatfs
  stdout: (text: string) => void
  stderr: (text: string) => void
  color: boolean
}

const flag = { type: 'boolean' } as const
const options = { json: flag, send: flag, help: { ...flag, short: 'h' } } as const

/** Returns the exit code. */
export async function runDoctor(args: readonly string[], deps: DoctorDeps): Promise<number> {
  try {
    const { values } = parseTyped({ args: [...args], options })
    if (values.help) {
      deps.stdout(help)
      return 0
    }
    const env = readEnv(deps.given)
    const content = await deps.readContent().catch(explainUnreadable)
    const groups = await examine(env, content, values.send ?? false, deps)
    const ready = !groups.some(({ checks }) => checks.some(({ state }) => state === 'to do'))
    deps.stdout(values.json ? `${makeSafeJson({ ready, groups })}\n` : formatScreen(groups, deps))
    return ready ? 0 : 1
  } catch (error) {
    const hint = error instanceof UsageError ? '. Try: npm run doctor -- --help' : ''
    deps.stderr(`${explainError(error)}${hint}\n`)
    return 2
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
  const [airtable, tests, database, publicAddress] = await Promise.all([
    checkAirtable(env, deps),
    send ? sendTests(env, deps) : proposeTests(env),
    checkDatabase(env, given, deps.readStatfs),
    checkPublicAddress(env, given, deps),
  ])
  const groups = {
    'Your words': checkWords(content, readPicture(root)),
    'Where leads go': [checkEnvFile(join(root, '.env'), given), airtable],
    'Who is told, and reminded': [checkAlerts(env), tests, checkPromise(env, given)],
    'Where leads are kept': [database, checkBackups(env, given, now())],
    'The public address': [
      checkPublicUrl(env, given),
      checkProxies(env, given),
      checkKeys(env, given),
      publicAddress,
    ],
  }
  return Object.entries(groups).map(([title, found]) => ({ title, checks: listChecks(found) }))
}

function readPicture(root: string): Uint8Array | undefined {
  try {
    return readFileSync(join(root, 'site/public/og.jpg'))
  } catch {
    return undefined
  }
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
