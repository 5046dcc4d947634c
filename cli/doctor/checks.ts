import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listAlertKinds } from '#leads/channels/channels.ts'
import type { HealthContext } from '#leads/health/check.ts'
import type { BusinessHours } from '#leads/hours.ts'
import { isSet, removeEndSlashes } from '#leads/variables.ts'
import { brand } from '#site/brand/brand.ts'
import { type BrandWords, findOldBrand } from '#site/brand/brand-stamp.ts'
import { findContentWarnings } from '#site/schema/content-warnings.ts'

/** A `check` needs a person's judgment; only a `to do` makes doctor fail. */
export type Finding = { id?: string; state: 'ok' | 'to do' | 'check'; text: string; next?: string }

/** The unparsed variables, including those that readEnv does not return. */
export type RawEnv = Record<string, string | undefined>

/** The part of the page's content that these checks read, with placeholders filled in. */
type Content = BrandWords & {
  company: { phone: string }
  form: { consent: { version: string; text: string } }
  hours: BusinessHours
}

export type LocalContext = Pick<HealthContext, 'env' | 'now'> & {
  /** The root folder of the checkout. */
  root: string
  raw: RawEnv
  content: Content
  /** `gone`: there are backups, but no database. */
  leadsAre: 'here' | 'missing' | 'gone' | 'elsewhere'
  /** PostgreSQL settings that are off, so a power outage could lose leads. */
  unsafeSettings?: readonly string[] | undefined
  /** The stored text of the current consent version. */
  storedConsent?: string | undefined
  /** True with --send. */
  sends: boolean
}

/** The URL that the page sends leads to, if it is not the site itself. */
export const readBackend = (raw: RawEnv): string | undefined => {
  const url = removeEndSlashes(raw.VITE_SUPABASE_URL?.trim() ?? '')
  return url && url !== removeEndSlashes(raw.PUBLIC_URL?.trim() ?? '') ? url : undefined
}

/** Checks the settings, the content, and the database. */
export function* checkLocally(context: LocalContext): Generator<Finding> {
  const { root, raw, env, content, leadsAre, unsafeSettings = [] } = context
  const { company, form } = content
  const envFile = findEnvFileProblem(join(root, '.env'), raw)
  if (envFile) yield { id: 'env-file', state: 'to do', ...envFile }

  // 555 is not an area code, and 555-01xx is reserved for fictional numbers in every area code.
  if (/^1?(555|...55501..$)/.test(company.phone.replace(/\D/g, '')))
    yield {
      id: 'phone-placeholder',
      state: 'to do',
      text: `The phone number is a placeholder: ${company.phone}.`,
      next: 'Set company.phone in site/content.ts to your phone number',
    }

  const oldBrand = findOldBrand({ root, brand, content })
  if (oldBrand) yield { id: 'brand-changed', state: 'to do', text: oldBrand, next: 'npm run brand' }

  for (const { id, text, next } of findContentWarnings(content, context.now))
    yield { id, state: id === 'wording-beyond-hours' ? 'to do' : 'check', text, next }

  if (leadsAre === 'missing')
    yield {
      id: 'database-missing',
      state: 'to do',
      text: `There is no database in ${env.dataDir} yet.`,
      next: 'To create it, run npm start',
    }

  if (leadsAre === 'elsewhere')
    yield {
      id: 'leads-elsewhere',
      state: 'check',
      text: 'Doctor cannot check the database behind VITE_SUPABASE_URL.',
      next: 'Set DATABASE_URL in .env to its connection string',
    }

  if (env.databaseUrl !== undefined || leadsAre === 'elsewhere')
    yield {
      id: 'postgres-backup',
      state: 'check',
      text: 'Doctor cannot check PostgreSQL backups.',
      next: 'Make sure that the database is backed up every night: see docs/backup.md',
    }

  if (unsafeSettings.length > 0)
    yield {
      id: 'postgres-not-durable',
      state: 'to do',
      text: `PostgreSQL runs with ${unsafeSettings.join(' and ')} off, so a power outage can lose leads that were already confirmed to visitors.`,
      next: `Set ${unsafeSettings.map((name) => `${name} = on`).join(' and ')} in postgresql.conf, then restart PostgreSQL`,
    }

  if ((context.storedConsent ?? form.consent.text) !== form.consent.text)
    yield {
      id: 'consent-changed',
      state: 'to do',
      text: `The consent text (or the company name in it) has changed, but its version is still ${form.consent.version}, so you cannot tell which text a visitor saw.`,
      next: 'Set form.consent.version in site/content.ts to a new value, such as today’s date',
    }

  if (env.email && !isSet(raw.CONFIRMATION_EMAIL))
    yield {
      id: 'confirmation-off',
      state: 'check',
      text: 'Homeowners don’t get an email that confirms their request.',
      next: 'Set CONFIRMATION_EMAIL=on in .env to send one with the time of your call, or =off if you don’t want it',
    }

  if (listAlertKinds(env).length > 0 && !context.sends)
    yield {
      id: 'alerts-untested',
      state: 'check',
      text: 'Doctor has not tested whether alerts arrive.',
      next: 'To send a test to each recipient, run npm run doctor -- --send',
    }
}

/** Exported for a test that runs as a different user. */
export function findEnvFileProblem(file: string, raw: RawEnv) {
  if (!existsSync(file)) {
    const isSetOtherwise = raw.PUBLIC_URL || raw.AIRTABLE_TOKEN
    const text = 'There is no .env file for your settings.'
    return isSetOtherwise ? undefined : { text, next: 'install -m 600 .env.example .env' }
  }
  try {
    accessSync(file, constants.R_OK)
  } catch {
    // Node ignores an unreadable file, so every setting would seem to be missing.
    return {
      text: 'You do not have permission to read .env.',
      next: 'Run doctor as the user that runs the site',
    }
  }
  if (statSync(file).mode & 0o007)
    return {
      text: 'Every user on this machine can read .env, which contains secrets.',
      next: 'chmod o= .env',
    }
}
