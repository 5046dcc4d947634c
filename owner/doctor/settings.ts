import { accessSync, constants, existsSync, statSync } from 'node:fs'
import type { Env } from '#leads/settings.ts'
import { type Finding, ok, toDo } from './check.ts'

/** The variables as they were given, for what readEnv does not keep. */
export type Given = Record<string, string | undefined>

/** Where the page sends leads, when it is not the site itself. */
export const findBackend = (given: Given): string | undefined => {
  const url = given.VITE_SUPABASE_URL?.trim().replace(/\/+$/, '')
  return url && url !== given.PUBLIC_URL?.trim().replace(/\/+$/, '') ? url : undefined
}

/** The key that the page is built with: see vite.config.ts. */
export const findPageKey = (given: Given): string =>
  given.VITE_SUPABASE_ANON_KEY?.trim() || given.SUPABASE_ANON_KEY?.trim() || 'public-anon-key'

export function checkEnvFile(file: string, given: Given): Finding {
  if (!existsSync(file)) {
    if (given.PUBLIC_URL || given.AIRTABLE_TOKEN)
      return ok('The settings come from the environment; there is no .env.')
    return toDo('There is no .env, where your settings go.', 'install -m 600 .env.example .env')
  }
  try {
    accessSync(file, constants.R_OK)
  } catch {
    // Node goes on without it, and everything would seem to be missing.
    return toDo('You may not read .env.', 'Run this as the user the site runs as')
  }
  // It holds the token and the passwords. Windows has no such rights to look at.
  if (statSync(file).mode & 0o007 && process.platform !== 'win32')
    return toDo('Everybody on this machine may read .env.', 'chmod o= .env')
  return ok('.env is there, and strangers on this machine cannot read it.')
}

export function checkTimeZone({ timeZone }: Env, given: Given): Finding {
  if (!given.TIME_ZONE?.trim() && /^(Etc\/)?(UTC|GMT|UCT|Universal|Zulu)$/.test(timeZone))
    return toDo(
      "Alerts would tell the time in UTC, which is this machine's.",
      '.env: TIME_ZONE=America/Chicago (or yours)',
    )
  return ok(`Alerts tell the time of ${timeZone}.`)
}
