import type { Channel } from '../channels/channel-type.ts'
import { channels, findSettings, listAlertKinds } from '../channels/channels.ts'
import { formatAt, formatDuration } from '../clock.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { askDeveloper, count, joinWords, keepForOwner } from '../words.ts'
import type { Check, HealthContext } from './check.ts'
import { databaseChecks } from './database-checks.ts'
import { deskChecks } from './desk-checks.ts'
import { deviceChecks, noAlerts } from './device-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { openPageEditor, pageChecks } from './page-checks.ts'

export const limits = {
  // By then, retries after 5, 10, 20, 30, and 30 s have failed. Combined messages wait for up to 2 minutes.
  alertLateMs: 2.5 * minuteMs,
  // Longer than for alerts, because only alerts tell the crew about leads.
  otherLateMs: 10 * minuteMs,
  // A lead takes about 2 kB, but backups, the write-ahead log, and upgrades need space.
  freeDiskBytes: 1_000_000_000,
  // One nightly backup may be late or fail; two missing ones need attention.
  backupAgeMs: 2 * dayMs,
}

const hasAlerts = ({ env }: HealthContext) => listAlertKinds(env).length > 0

const joinTexts = (...texts: string[]) => texts.filter(Boolean).join(' ')

const checkLate = (channel: Channel): Check => ({
  id: `${channel.kind}-late`,
  runsIn: ['healthz', 'desk', 'doctor'],
  find: ({ env, database, now }) => {
    const { kind, isAlert, explainFailure } = channel
    const pending = database?.pending.get(kind)
    // Skip a channel that is not set up, because checkOffer or checkIncomplete reports it.
    if (!pending || (channel.offer && findSettings(channel, { env }) === undefined)) return
    const { leads, oldestAt, lastError } = pending
    const lateMs = now - oldestAt
    if (lateMs <= (isAlert ? limits.alertLateMs : limits.otherLateMs)) return
    const text = explainFailure(count(leads, 'lead'), formatDuration(lateMs))
    const advice = channel.adviceIfLate ?? 'Look for new leads under Today.'
    return {
      text: `${text} ${lastError ?? 'No attempt has been made yet.'}`,
      next: 'Fix the cause. Deliveries are retried automatically',
      forOwner: joinTexts(text, advice, keepForOwner(lastError ?? '')),
      action: { label: 'Retry now', kind: 'retry-all' },
    }
  },
})

const checkArrival = ({ kind, label }: Channel): Check => ({
  id: `${kind}-undelivered`,
  runsIn: ['desk', 'doctor'],
  find: ({ database }) => {
    const found = database?.undelivered.get(kind)
    if (!found) return
    const { leads, lastError } = found
    const text = `In the last 24 hours, ${label.toLowerCase()} alerts for ${count(leads, 'lead')} didn’t arrive.`
    return {
      text: `${text} ${lastError}`,
      next: 'Fix the cause. The warning disappears a day after the last failed message',
      forOwner: joinTexts(text, keepForOwner(lastError), 'Look for new leads under Today.'),
    }
  },
})

const checkOffer = ({ kind, offer }: Channel): Check => ({
  id: `${kind}-not-set-up`,
  runsIn: ['doctor'],
  severity: 'note',
  find: ({ env }) => !env.setUpKinds.includes(kind) && !env.incomplete[kind] && offer,
})

const checkIncomplete = ({ kind, label, isAlert }: Channel): Check => ({
  id: `${kind}-incomplete`,
  runsIn: ['desk', 'start', 'doctor'],
  find: ({ env }) => {
    const missing = env.incomplete[kind] && joinWords(env.incomplete[kind])
    const text = isAlert
      ? `${label} alerts aren’t fully set up, so they’re off.`
      : `${label} isn’t fully set up, so it’s off.`
    return (
      missing !== undefined && {
        text: `${text} Missing: ${missing}.`,
        next: `Set ${missing} in .env`,
        forOwner: `${text} ${askDeveloper}`,
      }
    )
  },
})

export const healthChecks: readonly Check[] = [
  ...databaseChecks,
  {
    id: 'storage-not-durable',
    runsIn: ['desk', 'start', 'doctor'],
    severity: 'error',
    find: ({ machine, isPublic }) =>
      isPublic &&
      machine?.storage?.isTemporary && {
        text: 'DATA_DIR is inside a container without a volume, so all leads are lost when the container is replaced, as in an upgrade.',
        next: 'Mount a volume there, on a permanent local disk',
        forOwner: `A restart could delete the stored leads. ${askDeveloper}`,
      },
  },
  {
    id: 'disk-nearly-full',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ machine }) => {
      const freeBytes = machine?.storage?.freeBytes ?? Number.POSITIVE_INFINITY
      const free = `${Math.round(freeBytes / 1e6)} MB`
      return (
        freeBytes < limits.freeDiskBytes && {
          text: `The disk that holds DATA_DIR has only ${free} left.`,
          next: `Free up space: at least ${limits.freeDiskBytes / 1e9} GB`,
          forOwner: `The disk is almost full (${free} left). When it’s full, the site can’t accept leads. ${askDeveloper}`,
        }
      )
    },
  },
  {
    id: 'backup-missing',
    runsIn: ['desk', 'doctor'],
    find: ({ machine, isPublic, now }) => {
      if (!isPublic || !machine?.storage) return
      const { newestBackupAt } = machine.storage
      const ageMs = now - (newestBackupAt ?? 0)
      if (ageMs <= limits.backupAgeMs) return
      const text =
        newestBackupAt === undefined
          ? 'There is no backup yet.'
          : `The last backup is ${formatDuration(ageMs)} old.`
      return {
        text,
        next: 'Run npm run backup, and schedule it for every night (docs/backup.md)',
        forOwner: `${text} ${askDeveloper}`,
      }
    },
  },
  ...channels.filter(({ offer }) => offer).map(checkOffer),
  noAlerts,
  ...channels.map(checkIncomplete),
  ...channels.map(checkLate),
  ...channels.filter(({ findArrival }) => findArrival).map(checkArrival),
  {
    id: 'mail-failing',
    runsIn: ['desk', 'doctor'],
    find: ({ database, hours: { timeZone }, now }) => {
      if (!database?.mailFault) return
      const { at, error } = database.mailFault
      const text = `Email isn’t working (last tried ${formatAt(at, { now, timeZone })}).`
      return {
        text: `${text} ${error}`,
        next: 'Fix the cause. If it is a setting in .env, restart the site afterward. The warning disappears once email works again',
        forOwner: `${text} ${keepForOwner(error)} Sign-in links, invitations, and email alerts may not arrive. ${askDeveloper}`,
      }
    },
  },
  ...deviceChecks,
  ...limitChecks,
  {
    id: 'unknown-variable',
    runsIn: ['start', 'doctor'],
    find: ({ env: { unknown } }) =>
      unknown.length > 0 && {
        text: unknown
          .map(({ name, nearest }) => `${name} is not a setting. Did you mean ${nearest}?`)
          .join(' '),
        next: 'Correct or delete it in .env. All settings are in .env.example',
      },
  },
  {
    id: 'public-url-missing',
    runsIn: ['desk', 'start', 'doctor'],
    find: (context) => {
      const { answerUrl, hasPublicUrl, publicUrl } = context.env
      const hasLinks = hasAlerts(context) && answerUrl !== undefined
      const isMissing = context.isPublic
        ? !publicUrl.startsWith('https://')
        : hasLinks && !hasPublicUrl
      return (
        isMissing && {
          text: `PUBLIC_URL is not set to an https URL. Links in alerts go to ${publicUrl}, which phones cannot open, and the page does not give search engines its public URL.`,
          next: 'Set PUBLIC_URL=https://www.your-domain.com in .env',
          forOwner: `Links in alerts don’t open on a phone yet, because the site’s public URL isn’t set. ${askDeveloper}`,
        }
      )
    },
  },
  ...deskChecks,
  ...pageChecks,
  {
    id: 'no-answer-links',
    runsIn: ['desk', 'start', 'doctor'],
    find: (context) =>
      hasAlerts(context) &&
      !context.env.answerUrl && {
        text: 'Alerts have no “I’m calling” link, because Supabase serves pages only on a custom domain. The crew presses “I’m calling” on the desk instead, or sets Status in Airtable.',
        next: 'Set PUBLIC_URL to the Supabase project’s custom domain',
        forOwner: `Alerts have no “I’m calling” link yet. Press “I’m calling” here instead. ${askDeveloper}`,
      },
  },
  {
    id: 'sample-content',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ machine, isPublic }) => {
      const samples = machine?.samples ?? []
      if (!isPublic || samples.length === 0) return
      const reviews = samples.filter((path) => path.startsWith('testimonials.')).length
      const others = samples.filter((path) => !path.startsWith('testimonials.')).toSorted()
      const places = [...others, ...(reviews > 0 ? [count(reviews, 'review')] : [])].join(', ')
      return {
        text: `site/content.ts has sample content: ${places}. Fake reviews are illegal in the US, with fines over $50,000 each (16 CFR 465).`,
        next: 'Replace the samples in site/content.ts with your own content and delete each `sample: true`, or delete the entry. Make sure that every number and claim on the page, such as “licensed” and “24/7,” is true. Then run npm run brand',
        forOwner:
          'Visitors see sample reviews or other sample content. Fake reviews are illegal in the US. Replace or delete the samples, then publish.',
        action: openPageEditor,
      }
    },
  },
]
