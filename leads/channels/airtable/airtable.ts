import { text, webAddress } from '../../variables.ts'
import type { Channel } from '../channel-type.ts'
import type { AirtableSettings } from './client.ts'
import { sendToAirtable } from './send.ts'
import { checkAirtable, scopes } from './setup.ts'

const variables = {
  AIRTABLE_TOKEN: text,
  AIRTABLE_BASE_ID: text,
  AIRTABLE_TABLE: text,
  AIRTABLE_API_URL: webAddress('must be a web address such as https://api.airtable.com'),
}

const setUp = 'npm run leads -- setup-airtable'
export const nextSteps = {
  settings: `Set AIRTABLE_TOKEN (from airtable.com/create/tokens, with access to the base and the scopes ${scopes.join(', ')}) and AIRTABLE_BASE_ID (app…) in .env, then run ${setUp}`,
  airtable: 'Try again later. Leads are stored until then.',
}

export const airtable: Channel<'airtable', typeof variables, AirtableSettings> = {
  kind: 'airtable',
  label: 'Airtable',
  settings: {
    variables,
    required: ['AIRTABLE_TOKEN', 'AIRTABLE_BASE_ID'],
    optional: ['AIRTABLE_TABLE', 'AIRTABLE_API_URL'],
    read: ({ AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId, ...more }) =>
      token && baseId
        ? {
            token,
            baseId,
            table: more.AIRTABLE_TABLE ?? 'Leads',
            apiUrl: more.AIRTABLE_API_URL ?? 'https://api.airtable.com',
          }
        : undefined,
  },
  reasons: ['received', 'called', 'outcome'],
  recipients: async () => [{ name: 'airtable', to: '', label: '' }],
  send: sendToAirtable,
  explainFailure: (leads, lateBy) =>
    `Airtable is missing ${leads}. The oldest has been waiting for ${lateBy}.`,
  doctorCheck: async ({ settings, fetch, pause, timers }) => {
    const limits = { requestTimeoutMs: 5_000, signal: timers.timeout(10_000) }
    const deps = { fetch, pause, timers, ...limits, creates: false }
    const { todo, blocker } = await checkAirtable(settings, deps)
    const next = blocker ? nextSteps[blocker] : setUp
    if (todo.length > 0) return todo.map((text) => ({ state: 'to do', text, next }))
    const text = `Airtable is ready. The table ${settings.table} has all required columns.`
    return [{ state: 'ok', text }]
  },
  // Airtable accepts ten records per request and five requests per second from all senders together.
  batchSize: 10,
  exclusive: true,
  restMs: 250,
  isAlert: false,
  expiresAfterMs: null,
  arrivesWhenSent: true,
}
