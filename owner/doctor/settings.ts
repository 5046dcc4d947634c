import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { type Env, isSet } from '#leads/settings.ts'
import { count } from '../terminal.ts'
import { cannotTell, type Finding, ok, toDo } from './check.ts'

/** The variables as they were given, for what readEnv does not keep. */
export type Given = Record<string, string | undefined>

const defaultKey = 'public-anon-key'

export function checkEnvFile(file: string, given: Given): Finding {
  if (!existsSync(file)) {
    if (given.PUBLIC_URL || given.AIRTABLE_TOKEN)
      return ok('settings', 'The settings come from the environment; there is no .env.')
    const make = 'install -m 600 .env.example .env'
    return toDo('settings', 'There is no .env, where your settings go.', make)
  }
  try {
    accessSync(file, constants.R_OK)
  } catch {
    return toDo('settings', 'You may not read .env.', 'Run this as the user the site runs as')
  }
  // It holds the token and the passwords. Windows has no such rights to look at.
  if (statSync(file).mode & 0o007 && process.platform !== 'win32')
    return toDo('settings', 'Everybody on this machine may read .env.', 'chmod o= .env')
  return ok('settings', '.env is there, and strangers on this machine cannot read it.')
}

export function checkPublicUrl({ publicUrl }: Env, given: Given): Finding {
  const next = '.env: PUBLIC_URL=https://www.your-domain.com'
  if (!given.PUBLIC_URL?.trim())
    return toDo(
      'public address',
      'PUBLIC_URL is not set: links in alerts lead nowhere, and search engines and shared links are not told the address.',
      next,
    )
  if (!publicUrl.startsWith('https://'))
    return toDo('public address', `PUBLIC_URL is not on https: ${publicUrl}.`, next)
  return ok('public address', `The public address: ${publicUrl}`)
}

export function checkProxies({ publicUrl, trustedProxies }: Env, given: Given): Finding {
  if (!publicUrl.startsWith('https://') || findBackend(given) !== undefined) return []
  if (trustedProxies)
    return ok(
      'proxies',
      `TRUSTED_PROXIES=${trustedProxies}: each visitor has a limit of their own.`,
    )
  return toDo(
    'proxies',
    'TRUSTED_PROXIES is not set: behind the proxy that does TLS, all visitors would count as one and share one rate limit.',
    '.env: TRUSTED_PROXIES=1 (one for each proxy in front)',
  )
}

/** Where the page sends leads, when it is not the site itself. */
export const findBackend = (given: Given): string | undefined => {
  const url = given.VITE_SUPABASE_URL?.trim().replace(/\/+$/, '')
  return url && url !== given.PUBLIC_URL?.trim().replace(/\/+$/, '') ? url : undefined
}

/** The key that the page is built with: see vite.config.ts. */
export const findPageKey = (given: Given): string =>
  given.VITE_SUPABASE_ANON_KEY?.trim() || given.SUPABASE_ANON_KEY?.trim() || defaultKey

export function checkKeys({ anonKeys }: Env, given: Given): Finding {
  const key = findPageKey(given)
  const isElsewhere = findBackend(given) !== undefined
  if (isElsewhere && key === defaultKey)
    return toDo(
      'public key',
      'The page calls another backend (VITE_SUPABASE_URL) with the default key, which it will refuse.',
      ".env: VITE_SUPABASE_ANON_KEY=… from the project's API settings, then build again",
    )
  if (!isElsewhere && !anonKeys.includes(key))
    return toDo(
      'public key',
      'The page is built with another key than the function accepts: every lead would be refused.',
      '.env: empty VITE_SUPABASE_ANON_KEY, or make it equal to SUPABASE_ANON_KEY',
    )
  if (key !== defaultKey) return ok('public key', 'Page and function share one key.')
  return ok('public key', 'Page and function share the default key. It is public anyway.')
}

export function checkPromise(env: Env, given: Given): Finding {
  const checkHeard = (name: string, channel: object | undefined) =>
    isSet(given[name]) &&
    !channel &&
    toDo(name, `${name} is set, but its channel is not: nobody is reminded.`, 'See above.')
  return [
    checkReminders(env),
    checkHeard('ESCALATION_EMAIL_TO', env.email),
    checkHeard('ESCALATION_SMS_TO', env.sms),
    checkTimeZone(env, given),
  ]
}

// Later than this, the reminder leaves no time to call.
const latestFirstReminderMinutes = 7

function checkReminders({ email, sms, webhook, escalateAfterMinutes }: Env): Finding {
  const [first = 0] = escalateAfterMinutes
  if (first > latestFirstReminderMinutes) {
    const says = `The first reminder comes after ${first} of the ten minutes: too late to call.`
    return toDo('reminders', says, '.env: ESCALATE_AFTER_MINUTES=4,8')
  }
  const times = `Reminders after ${escalateAfterMinutes.join(' and ')} minutes`
  const receivers = (email?.escalationTo.length ?? 0) + (sms?.escalationTo.length ?? 0)
  if (receivers > 0) return ok('reminders', `${times} to ${count(receivers, 'receiver')}.`)
  if (webhook) return ok('reminders', `${times} to the webhook.`)
  return cannotTell('reminders', `${times} will need an alert channel.`)
}

function checkTimeZone({ timeZone }: Env, given: Given): Finding {
  const says = "Alerts would tell the time in UTC, which is this machine's."
  if (!given.TIME_ZONE?.trim() && /^(Etc\/)?(UTC|GMT|UCT|Universal|Zulu)$/.test(timeZone))
    return toDo('time zone', says, '.env: TIME_ZONE=America/Chicago (or yours)')
  return ok('time zone', `Alerts tell the time of ${timeZone}.`)
}
