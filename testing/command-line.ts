import { expect, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import type { AirtableSettings } from '#leads/airtable/client.ts'
import type { Lead } from '#leads/lead.ts'
import { claimDue, settleDeliveries } from '#leads/store/deliveries.ts'
import type { Database } from '#leads/store/tables.ts'
import { runLeads } from '#owner/leads.ts'
import type { LeadsDeps } from '#owner/leads-command.ts'
import { storeLead, testTime } from './saved-leads.ts'

let minute = 0
/** Stores a lead a minute after the one before. */
export function save(
  db: Database,
  changed: Partial<Lead> = {},
  channels = ['airtable'],
  source: string | null = null,
): Promise<string> {
  minute += 1
  const at = testTime + minute * 60_000
  return storeLead(db, { at, lead: changed, channels, source })
}

/** What a command answers that could not be done; `code` 2: that was not understood. */
export const fail = (sentence: string | RegExp, code = 1) => ({
  code,
  err:
    typeof sentence === 'string'
      ? expect.stringContaining(sentence)
      : expect.stringMatching(sentence),
})

/** Rows as they are, many at once. */
export async function insertLeads(db: Database, leads: { id: string; receivedAt: number }[]) {
  const rows = leads.map(({ id, receivedAt }) => ({
    id,
    name: id,
    received_at: receivedAt,
    email: 'a@example.com',
    phone: '5551234567',
    address: 'x',
    service_type: '' as const,
    client_address: '',
    body_hash: '',
    idempotency_key: null,
  }))
  for (let start = 0; start < rows.length; start += 500)
    await db.kysely
      .insertInto('leads')
      .values(rows.slice(start, start + 500))
      .execute()
}

/** The command line on a test's database, with what it wrote and the clock that its pauses move. */
export function createCommandLine(db: Database | undefined, changed: Partial<LeadsDeps> = {}) {
  let clockMs = testTime + 24 * 3_600_000
  const state = { airtable: undefined as AirtableSettings | undefined }
  const pause = async (ms: number) => {
    clockMs += ms
  }
  return {
    state,
    now: () => clockMs,
    pause,
    async run(...args: string[]) {
      let out = ''
      let err = ''
      const code = await runLeads(args, {
        open: async () => ({
          db: db && { ...db, close: async () => {} },
          airtable: state.airtable,
        }),
        stdout: (text) => {
          out += text
        },
        stderr: (text) => {
          err += text
        },
        fetch,
        pause,
        now: () => clockMs,
        timeZone: 'UTC',
        ...changed,
      })
      return { code, out, err }
    },
  }
}

/** Claims and settles what is due, as the running site does. */
export async function deliver(
  db: Database,
  settle: (leadId: string) => { ok: true } | { ok: false; error: string },
) {
  const now = testTime + 20 * 3_600_000
  const claimed = await claimDue(db, 'airtable', 100, { holder: 'site', now, until: now + 45_000 })
  const settlements = claimed.map(({ lead }) => ({
    leadId: lead.id,
    occasion: 'received' as const,
    nextAttemptAt: now + 900_000,
    ...settle(lead.id),
  }))
  await settleDeliveries(db, 'airtable', settlements, { holder: 'site', now })
}

export async function startAirtable() {
  let at = testTime
  const standIn = await startAirtableStandIn({ now: () => (at += 250) })
  onTestFinished(() => standIn.close())
  return { standIn, settings: standIn.airtable }
}
