import { nextSteps } from '../channels/airtable/airtable.ts'
import type { Channel } from '../channels/channel-type.ts'
import { type ChannelKind, channels } from '../channels/channels.ts'
import { formatDuration } from '../clock.ts'
import type { Pending, Undelivered } from '../store/reading.ts'
import { askDeveloper, keepForOwner } from '../words.ts'
import { type Check, defineCheck, type HealthContext, type Place } from './check.ts'
import { databaseChecks } from './database-checks.ts'
import { deskChecks } from './desk-checks.ts'
import { deviceChecks, noAlerts } from './device-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { openPageEditor, pageChecks } from './page-checks.ts'

export const limits = {
  // By then, retries after 5, 10, 20, 30, and 30 s have failed. Combined messages wait for up to 2 minutes.
  alertLateMs: 2.5 * 60_000,
  // Longer than for alerts, because only alerts tell staff about leads.
  otherLateMs: 10 * 60_000,
  // A lead takes about 2 kB, but backups, the write-ahead log, and upgrades need space.
  freeDiskBytes: 1_000_000_000,
  // One nightly backup may be late or fail; two missing ones need attention.
  backupAgeMs: 2 * 24 * 3_600_000,
}

const everywhere: readonly Place[] = ['healthz', 'desk', 'start', 'doctor']

const countLeads = (leads: number) => `${leads} ${leads === 1 ? 'lead' : 'leads'}`

const hasAlerts = ({ env }: HealthContext) => env.alertKinds.length > 0

const adviceIfLate: Partial<Record<ChannelKind, string>> = {
  airtable: 'Leads are saved here and will be sent automatically.',
  confirmation: 'The site retries for an hour.',
}

const checkLate = ({ kind, explainFailure, isAlert }: (typeof channels)[number]) => {
  const explain = ({ leads, oldestAt }: Pending, { now }: HealthContext) =>
    explainFailure(countLeads(leads), formatDuration(now - oldestAt))
  return defineCheck({
    id: `${kind}-late`,
    runsIn: ['healthz', 'desk', 'doctor'],
    find: ({ env, database, now }) => {
      // airtable-not-set-up reports this.
      if (kind === 'airtable' && !env.airtable) return
      const pending = database?.pending.get(kind)
      const lateMs = isAlert ? limits.alertLateMs : limits.otherLateMs
      return pending && now - pending.oldestAt > lateMs ? pending : undefined
    },
    forOwner: (pending, context) => ({
      text: [
        explain(pending, context),
        adviceIfLate[kind] ?? 'Look for new leads under Today.',
        keepForOwner(pending.lastError ?? ''),
      ]
        .filter(Boolean)
        .join(' '),
      action: { label: 'Retry now', kind: 'retry-all' },
    }),
    forDeveloper: (pending, context) => ({
      text: `${explain(pending, context)} ${pending.lastError ?? 'No attempt has been made yet.'}`,
      next: 'Fix the cause. Deliveries are retried automatically',
    }),
  })
}

const checkArrival = ({ kind, label }: Channel) => {
  const explain = ({ leads }: Undelivered) =>
    `${label} alerts for ${countLeads(leads)} didn’t arrive in the last 24 hours.`
  return defineCheck({
    id: `${kind}-undelivered`,
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => database?.undelivered.get(kind),
    forOwner: (found) => ({
      text: [explain(found), keepForOwner(found.lastError), 'Look for new leads under Today.']
        .filter(Boolean)
        .join(' '),
    }),
    forDeveloper: (found) => ({
      text: `${explain(found)} ${found.lastError}`,
      next: 'Fix the cause. The warning disappears a day after the last failed message',
    }),
  })
}

const checkIncomplete = ({ kind, label, isAlert }: (typeof channels)[number]) => {
  const explanation = isAlert
    ? `${label} alerts aren’t fully set up, so they’re off.`
    : `${label} isn’t fully set up, so it’s off.`
  return defineCheck({
    id: `${kind}-incomplete`,
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ env }) => env.incomplete[kind],
    forOwner: () => ({ text: `${explanation} ${askDeveloper}` }),
    forDeveloper: (missing) => ({
      text: `${explanation} Missing: ${missing.join(' and ')}.`,
      next: `Set ${missing.join(' and ')} in .env`,
    }),
  })
}

export const healthChecks: readonly Check[] = [
  ...databaseChecks,
  defineCheck({
    id: 'storage-not-durable',
    runsIn: ['desk', 'start', 'doctor'],
    severity: 'error',
    find: ({ machine, isPublic }) => {
      const kind = machine?.storage?.kind
      return isPublic && kind !== 'disk' ? kind : undefined
    },
    forOwner: () => ({
      text: `A restart or a network problem could delete the stored leads. ${askDeveloper}`,
    }),
    forDeveloper: (kind) => ({
      text: {
        memory: 'DATA_DIR is in memory (tmpfs), so a restart loses all leads.',
        container: 'DATA_DIR is inside a container (overlay), so a restart loses all leads.',
        network: 'DATA_DIR is on a network file system, where SQLite can lose leads.',
      }[kind],
      next: 'Set DATA_DIR to a folder on a permanent local disk',
    }),
  }),
  defineCheck({
    id: 'disk-nearly-full',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ machine }) => {
      const freeBytes = machine?.storage?.freeBytes ?? Number.POSITIVE_INFINITY
      return freeBytes < limits.freeDiskBytes ? `${Math.round(freeBytes / 1e6)} MB` : undefined
    },
    forOwner: (free) => ({
      text: `The disk is almost full (${free} left). When it’s full, the site can’t accept leads. ${askDeveloper}`,
    }),
    forDeveloper: (free) => ({
      text: `The disk that holds DATA_DIR has only ${free} left.`,
      next: `Free up space: at least ${limits.freeDiskBytes / 1e9} GB`,
    }),
  }),
  defineCheck({
    id: 'backup-missing',
    runsIn: ['desk', 'doctor'],
    find: ({ machine, isPublic, now }) => {
      if (!isPublic || !machine?.storage) return
      const { newestBackupAt } = machine.storage
      if (newestBackupAt === undefined) return 'There is no backup yet.'
      const ageMs = now - newestBackupAt
      if (ageMs > limits.backupAgeMs) return `The last backup is ${formatDuration(ageMs)} old.`
    },
    forOwner: (text) => ({ text: `${text} ${askDeveloper}` }),
    forDeveloper: (text) => ({
      text,
      next: 'Run npm run backup, and schedule it for every night (docs/backup.md)',
    }),
  }),
  defineCheck({
    id: 'airtable-not-set-up',
    runsIn: everywhere,
    find: ({ env, database }) => {
      if (env.airtable || env.incomplete.airtable) return
      return database?.pending.get('airtable')?.leads ?? 0
    },
    forOwner: (leads) => {
      const soFar = leads > 0 ? ` (${leads} so far)` : ''
      return {
        text: `Airtable isn’t connected. Leads are saved here${soFar} and will be sent once it is. ${askDeveloper}`,
      }
    },
    forDeveloper: () => ({
      text: 'Airtable is not set up (AIRTABLE_TOKEN and AIRTABLE_BASE_ID). Leads are stored here until it is.',
      next: nextSteps.settings,
    }),
  }),
  noAlerts,
  ...channels.filter(({ settings }) => settings.required.length > 0).map(checkIncomplete),
  ...channels.map(checkLate),
  ...(channels as readonly Channel[]).filter(({ findArrival }) => findArrival).map(checkArrival),
  ...deviceChecks,
  ...limitChecks,
  defineCheck({
    id: 'public-url-missing',
    runsIn: ['desk', 'start', 'doctor'],
    find: (context) => {
      const { env, isPublic } = context
      if (isPublic) return env.publicUrl.startsWith('https://') ? undefined : env.publicUrl
      const hasLinks = hasAlerts(context) && env.answerUrl !== undefined
      return hasLinks && !env.hasPublicUrl ? env.publicUrl : undefined
    },
    forOwner: () => ({
      text: `Links in alerts don’t open on a phone yet, because the site has no public address. ${askDeveloper}`,
    }),
    forDeveloper: (publicUrl) => ({
      text: `PUBLIC_URL is not set to an https address. Links in alerts go to ${publicUrl}, which phones cannot open, and the page does not give search engines its public address.`,
      next: 'Set PUBLIC_URL=https://www.your-domain.com in .env',
    }),
  }),
  defineCheck({
    id: 'proxy-bypass',
    runsIn: ['start', 'doctor'],
    severity: 'note',
    find: ({ env: { host, trustedProxies }, machine }) =>
      trustedProxies && ['0.0.0.0', '::'].includes(host) && machine?.inContainer === false
        ? trustedProxies
        : undefined,
    forDeveloper: (proxies, { env }) => ({
      text: `Visitors who reach port ${env.port} without the proxy can fake their address (TRUSTED_PROXIES is ${proxies}, HOST is ${env.host}). If the proxy runs on this machine, set HOST=127.0.0.1.`,
      next: 'If the proxy runs on another machine, let only that machine through the firewall',
    }),
  }),
  ...deskChecks,
  ...pageChecks,
  defineCheck({
    id: 'no-answer-links',
    runsIn: ['desk', 'start', 'doctor'],
    find: (context) => hasAlerts(context) && !context.env.answerUrl,
    forOwner: () => ({
      text: `Alerts have no “I’m calling” link yet. Set Status in Airtable when you call. ${askDeveloper}`,
    }),
    forDeveloper: () => ({
      text: 'Alerts have no “I’m calling” link, because Supabase serves pages only on your own domain. Staff set Status in Airtable instead.',
      next: 'Set PUBLIC_URL to your own domain',
    }),
  }),
  defineCheck({
    id: 'sample-content',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ machine, isPublic }) => {
      const samples = machine?.samples ?? []
      return isPublic && samples.length > 0 ? samples : undefined
    },
    forOwner: () => ({
      text: `Visitors see sample reviews or other sample content. Fake reviews are illegal in the US. Replace or delete the samples, then publish.`,
      action: openPageEditor,
    }),
    forDeveloper: (samples) => {
      const reviews = samples.filter((path) => path.startsWith('testimonials.')).length
      const others = samples.filter((path) => !path.startsWith('testimonials.')).toSorted()
      const places = [...others, ...(reviews > 0 ? [`${reviews} reviews`] : [])].join(', ')
      return {
        text: `site/content.ts has sample content: ${places}. Fake reviews are illegal in the US, with fines over $50,000 each (16 CFR 465).`,
        next: 'Replace the samples in site/content.ts with your own content and delete each `sample: true`, or delete the entry. Make sure that every number and claim on the page is true, such as “licensed” and “24/7.” Then run npm run brand',
      }
    },
  }),
]
