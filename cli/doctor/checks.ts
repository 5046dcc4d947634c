import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Check,
  type DeveloperText,
  defineCheck,
  type HealthContext,
} from '#leads/health/check.ts'
import type { BusinessHours } from '#leads/hours.ts'
import { isSet } from '#leads/variables.ts'
import { brand } from '#site/brand/brand.ts'
import { type BrandWords, findOldBrand } from '#site/brand/made.ts'
import { findBrokenPromises } from '#site/build/hours-rules.ts'

/** The unparsed variables, including those that readEnv does not return. */
export type RawEnv = Record<string, string | undefined>

/** The part of site/content.ts that doctor reads. */
export type Content = BrandWords & {
  company: { phone: string }
  form: { consent: { version: string; text: string } }
  hours: BusinessHours
}

export type LocalContext = HealthContext & {
  /** The checkout. */
  root: string
  raw: RawEnv
  content: Content
  leadsAre: 'here' | 'missing' | 'elsewhere'
  /** PostgreSQL settings that are off, so that a power outage could lose leads. */
  unsafeSettings?: readonly string[] | undefined
  /** The stored text of the current consent version. */
  storedConsent?: string | undefined
  /** True with --send. */
  sends: boolean
}

/** The URL that the page sends leads to, if it is not the site itself. */
export const findBackend = (raw: RawEnv): string | undefined => {
  const url = raw.VITE_SUPABASE_URL?.trim().replace(/\/+$/, '')
  return url && url !== raw.PUBLIC_URL?.trim().replace(/\/+$/, '') ? url : undefined
}

/** Checks of the checkout and the machine, for developers only. */
export const localChecks: readonly Check<LocalContext>[] = [
  defineCheck({
    id: 'env-file',
    find: ({ root, raw }: LocalContext) => findEnvFileProblem(join(root, '.env'), raw),
    forDeveloper: (problem) => problem,
  }),
  defineCheck({
    id: 'phone-placeholder',
    // 555 is not an area code, and in every area code the numbers 555-01xx are reserved for examples.
    find: ({ content: { company } }: LocalContext) =>
      /^\(555\)|\) 555-01\d\d$/.test(company.phone) ? company.phone : undefined,
    forDeveloper: (phone) => ({
      text: `The phone number is a placeholder: ${phone}.`,
      next: 'Set company.phone in site/content.ts to your phone number',
    }),
  }),
  defineCheck({
    id: 'brand-changed',
    find: ({ root, content }: LocalContext) => findOldBrand({ root, brand, content }),
    forDeveloper: (text) => ({ text, next: 'npm run brand' }),
  }),
  defineCheck({
    id: 'texts-beyond-hours',
    find: ({ content }: LocalContext) => {
      const entries = findBrokenPromises(content)
      return entries.length > 0 ? entries : undefined
    },
    forDeveloper: (entries) => ({
      text: `You are not always open, but these texts say 24/7 or 10 minutes: ${entries.join(', ')}.`,
      next: 'Change these texts in site/content.ts, then run npm run brand',
    }),
  }),
  defineCheck({
    id: 'database-missing',
    find: ({ leadsAre, env }: LocalContext) => (leadsAre === 'missing' ? env.dataDir : undefined),
    forDeveloper: (dataDir) => ({
      text: `There is no database in ${dataDir} yet.`,
      next: 'To create it, run npm start',
    }),
  }),
  defineCheck({
    id: 'leads-elsewhere',
    severity: 'note',
    find: ({ leadsAre }: LocalContext) => (leadsAre === 'elsewhere' ? true : undefined),
    forDeveloper: () => ({
      text: 'Doctor cannot check the database behind VITE_SUPABASE_URL.',
      next: 'Set DATABASE_URL in .env to its connection string',
    }),
  }),
  defineCheck({
    id: 'postgres-backup',
    severity: 'note',
    find: ({ leadsAre, env }: LocalContext) =>
      env.databaseUrl !== undefined || leadsAre === 'elsewhere' ? true : undefined,
    forDeveloper: () => ({
      text: 'Doctor cannot check PostgreSQL backups.',
      next: 'Make sure that the database is backed up every night: see docs/backup.md',
    }),
  }),
  defineCheck({
    id: 'postgres-not-durable',
    severity: 'error',
    find: ({ unsafeSettings = [] }: LocalContext) =>
      unsafeSettings.length > 0 ? unsafeSettings : undefined,
    forDeveloper: (names) => ({
      text: `PostgreSQL runs with ${names.join(' and ')} off, so a power outage can lose leads that were already confirmed to visitors.`,
      next: `Set ${names.map((name) => `${name} = on`).join(' and ')} in postgresql.conf, then restart PostgreSQL`,
    }),
  }),
  defineCheck({
    id: 'consent-changed',
    find: ({ content: { form }, storedConsent = form.consent.text }: LocalContext) =>
      storedConsent === form.consent.text ? undefined : form.consent.version,
    forDeveloper: (version) => ({
      text: `The consent text (or the company name in it) has changed, but its version is still ${version}, so you cannot tell which text a visitor saw.`,
      next: 'Set form.consent.version in site/content.ts to a new value, such as today’s date',
    }),
  }),
  defineCheck({
    id: 'confirmation-off',
    severity: 'note',
    find: ({ env, raw }: LocalContext) =>
      env.email && !isSet(raw.CONFIRMATION_EMAIL) ? true : undefined,
    forDeveloper: () => ({
      text: 'Homeowners don’t get an email that confirms their request.',
      next: 'Set CONFIRMATION_EMAIL=on in .env to send one with the time of your call, or =off if you don’t want it',
    }),
  }),
  defineCheck({
    id: 'webhook-only',
    severity: 'note',
    find: ({ env: { alertKinds }, database }: LocalContext) =>
      alertKinds.join() === 'webhook' && !database?.devices.length ? true : undefined,
    forDeveloper: () => ({
      text: 'Alerts go only to the webhook.',
      next: 'Make sure that a person sees them, or set up another alert',
    }),
  }),
  defineCheck({
    id: 'alerts-untested',
    severity: 'note',
    find: ({ env, sends }: LocalContext) =>
      env.alertKinds.length > 0 && !sends ? true : undefined,
    forDeveloper: () => ({
      text: 'Doctor has not tested whether alerts arrive.',
      next: 'To send a test to each recipient, run npm run doctor -- --send',
    }),
  }),
]

function findEnvFileProblem(file: string, raw: RawEnv): DeveloperText | undefined {
  if (!existsSync(file)) {
    const isSetOtherwise = raw.PUBLIC_URL || raw.AIRTABLE_TOKEN
    if (isSetOtherwise) return
    const text = 'There is no .env file for your settings.'
    return { text, next: 'install -m 600 .env.example .env' }
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
  // Windows does not have these permissions.
  if (statSync(file).mode & 0o007 && process.platform !== 'win32')
    return {
      text: 'Every user on this machine can read .env, which contains secrets.',
      next: 'chmod o= .env',
    }
}
