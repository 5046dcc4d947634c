import type { Channel } from '../channel-type.ts'
import { sendToAirtable } from './send.ts'
import { checkAirtable, scopes } from './setup.ts'

const setUp = 'npm run leads -- setup-airtable'
const nextSteps = {
  settings: `Set AIRTABLE_TOKEN (from airtable.com/create/tokens, with access to the base and the scopes ${scopes.join(', ')}) and AIRTABLE_BASE_ID (app…) in .env, then run ${setUp}`,
  airtable: 'Try again later. Meanwhile, the site saves all leads.',
}

export const airtable: Channel<'airtable'> & { leaseMs: number } = {
  kind: 'airtable',
  label: 'Airtable',
  reasons: ['received', 'called', 'outcome', 'corrected'],
  recipients: async () => [{ name: 'airtable', to: '', label: '' }],
  send: sendToAirtable,
  explainFailure: (leads, lateBy) =>
    `Airtable is missing ${leads}. The oldest has been waiting for ${lateBy}.`,
  adviceIfLate: 'Leads are saved here and will be sent automatically.',
  offer: {
    text: 'Airtable is not set up (AIRTABLE_TOKEN and AIRTABLE_BASE_ID). If you set it up later, it gets all leads.',
    next: nextSteps.settings,
  },
  doctorCheck: async ({ settings, fetch, pause, timers }) => {
    const limits = { requestTimeoutMs: 5_000, signal: timers.timeout(10_000) }
    const deps = { fetch, pause, timers, ...limits, creates: false }
    const { todo, blocker } = await checkAirtable(settings, deps)
    const next = blocker ? nextSteps[blocker] : setUp
    if (todo.length > 0) return todo.map((text) => ({ state: 'to do', text, next }))
    const text = `Airtable is ready. The table ${settings.table} has all required columns.`
    return [{ state: 'ok', text }]
  },
  // Airtable accepts ten records per request.
  batchSize: 10,
  // As long as a batch may take, because two upserts at the same time can create two rows.
  leaseMs: 45_000,
  // Airtable accepts five requests per second from all senders together.
  restMs: 250,
  isAlert: false,
  expiresAfterMs: null,
  arrivesWhenSent: true,
}
