import { rowRecipients } from '#leads/channels/channels.ts'
import { computePromise, noPromise } from '#leads/deadline.ts'
import { createDeliverer } from '#leads/delivery/deliver.ts'
import { planDelivery } from '#leads/delivery/plan.ts'
import { fieldNames, type Lead } from '#leads/fields.ts'
import type { Env } from '#leads/settings.ts'
import { appendEvent } from '#leads/store/append-event.ts'
import { recordReceipt } from '#leads/store/push-devices.ts'
import type { Database } from '#leads/store/tables.ts'
import { dayMs, minuteMs } from '#leads/time-units.ts'
import { company, form, hours } from '#site/content.ts'
import { createTestContext } from '#testing/delivery.ts'
import { savePhone, storeLead } from '#testing/saved-leads.ts'
import type { startFakePush } from './push.ts'

type SampleLead = {
  minutesAgo: number
  /** Other fields stay empty. */
  lead: Pick<Lead, 'name' | 'email' | 'phone' | 'address' | 'serviceType'>
  source: string
  isSpam?: true
  call?: { minutesAgo: number; person: string; result?: 'no-answer' | 'done' | 'not-a-lead' }
}

/** One lead in each of these states: new, reminded, late, being called, no answer, done, not a lead, and spam. */
const sampleLeads: SampleLead[] = [
  {
    minutesAgo: 175,
    lead: {
      name: 'Angela Brooks',
      email: 'angela.brooks@example.com',
      phone: '(612) 555-0117',
      address: '4120 Park Ave, Minneapolis, MN 55407',
      serviceType: 'roof-replacement',
    },
    source: 'utm_source=google&utm_medium=cpc&utm_campaign=roof-replacement',
    call: { minutesAgo: 171, person: 'Sam', result: 'done' },
  },
  {
    minutesAgo: 130,
    lead: {
      name: 'Rick Palmer',
      email: 'rick@gutter-supplies.example',
      phone: '(763) 555-0164',
      address: '900 Industrial Blvd, Blaine, MN 55449',
      serviceType: 'other',
    },
    source: '',
    call: { minutesAgo: 124, person: 'Dana', result: 'not-a-lead' },
  },
  {
    minutesAgo: 48,
    lead: {
      name: 'BEST SEO RANKING',
      email: 'sales@seo-ranking.example',
      phone: '(555) 555-0100',
      address: '1 Web St, Internet',
      serviceType: 'other',
    },
    source: '',
    isSpam: true,
  },
  {
    minutesAgo: 43,
    lead: {
      name: 'Mai Xiong',
      email: 'mai.xiong@example.com',
      phone: '(651) 555-0139',
      address: '1186 Payne Ave, Saint Paul, MN 55130',
      serviceType: 'roof-inspection',
    },
    source: 'referrer=www.google.com',
    call: { minutesAgo: 38, person: 'Sam', result: 'no-answer' },
  },
  {
    minutesAgo: 22,
    lead: {
      name: 'Miguel Torres',
      email: 'miguel.torres@example.com',
      phone: '(612) 555-0152',
      address: '2733 Bloomington Ave, Minneapolis, MN 55407',
      serviceType: 'new-roof',
    },
    source: 'utm_source=nextdoor',
  },
  {
    minutesAgo: 6,
    lead: {
      name: 'Beth Sorensen',
      email: 'beth.sorensen@example.com',
      phone: '(651) 555-0128',
      address: '614 Laurel Ave, Saint Paul, MN 55104',
      serviceType: 'roof-repair',
    },
    source: 'referrer=m.facebook.com',
  },
  {
    minutesAgo: 4,
    lead: {
      name: 'Deshawn Carter',
      email: 'deshawn.carter@example.com',
      phone: '(763) 555-0191',
      address: '3308 Quincy St NE, Minneapolis, MN 55418',
      serviceType: 'roof-repair',
    },
    source: 'referrer=www.google.com',
    call: { minutesAgo: 2, person: 'Dana' },
  },
  {
    minutesAgo: 1,
    lead: {
      name: 'Karen Lindgren',
      email: 'karen.lindgren@example.com',
      phone: '(651) 555-0175',
      address: '1529 Grand Ave, Saint Paul, MN 55105',
      serviceType: 'emergency',
    },
    source: 'utm_source=google&utm_medium=cpc&utm_campaign=storm-damage',
  },
]

const sessionId = 'crew'
/** The time until the phone shows a notification. */
const receiptMs = 2_000

const noFields = Object.fromEntries(fieldNames.map((name) => [name, ''])) as Lead

/** The times, in minutes before now, when a lead comes in, reminders are due, or someone calls. */
const steps = new Set(
  sampleLeads
    .flatMap(({ minutesAgo, call }) => [
      ...[0, 4, 8, 10, 11].map((minutes) => minutesAgo - minutes),
      call?.minutesAgo ?? 0,
    ])
    .filter((minutesAgo) => minutesAgo >= 0)
    .sort((a, b) => b - a),
)

type Options = {
  env: Env
  push: Awaited<ReturnType<typeof startFakePush>>
  /** Advances from three hours ago to now. */
  clock: { at: number }
}

/** Stores the sample leads, their calls, and their deliveries as if the site had run for three hours. */
export async function addSampleLeads(db: Database, { env, push, clock }: Options): Promise<void> {
  const now = clock.at
  const { endpoint, keys } = push.addPhone('crew')
  const createdAt = now - dayMs
  await savePhone(db, { endpoint, ...keys, sessionId, name: 'Sam’s phone', createdAt })
  // Keep the company open, so that there are late leads even at night.
  const open = { ...hours, open: 'always' as const }
  const { fetch } = push
  const { context, faults } = createTestContext(db, env, { clock, fetch, hours: open })
  const deliverer = createDeliverer({ ...context, company: () => company }, { faults })
  const ids = new Map<SampleLead, string>()
  for (const step of steps) {
    clock.at = now - step * minuteMs
    for (const sample of sampleLeads) {
      if (sample.minutesAgo === step) ids.set(sample, await receive(sample))
      if (sample.call?.minutesAgo === step) await call(ids.get(sample) ?? '', sample.call)
    }
    await deliverer.deliverDue(1)
    for (const { data } of push.messages.splice(0)) {
      const receipt = { ...data.receipt, isTapped: false }
      await recordReceipt(db, sessionId, receipt, clock.at + receiptMs)
    }
  }

  async function receive({ lead: filledIn, source, isSpam }: SampleLead): Promise<string> {
    const lead = { ...noFields, ...filledIn }
    const promise = isSpam ? noPromise : computePromise(clock.at, lead.serviceType, open)
    const plan = await planDelivery(context, { ...lead, ...promise })
    const suspect = isSpam ? 'trap' : null
    const consent = form.consent.version
    const details = { source, suspect, consent, stepAt: undefined } as const
    return storeLead(db, { at: clock.at, lead, ...details, ...promise, ...plan })
  }

  async function call(id: string, { person, result }: NonNullable<SampleLead['call']>) {
    const at = clock.at
    const callAgainAt = result === 'no-answer' ? at + env.noAnswerMinutes * minuteMs : null
    const event = { id: crypto.randomUUID(), at, person, callAgainAt, via: 'desk' } as const
    await appendEvent(db, id, { ...event, kind: result ?? 'called' }, { rowRecipients, now: at })
  }
}
