import { setTimeout as pause } from 'node:timers/promises'
import { pickOne } from '#demo/random.ts'

export const functionPath = '/functions/v1/submit-to-airtable'

export const makeLead = (name: string) => ({
  name,
  email: `${name.replace(' ', '.').toLowerCase()}@example.com`,
  phone: '(555) 123-4567',
  address: `${name} Main St`,
  serviceType: 'roof-repair',
})

export type SentLead = { name: string; key: string; acknowledged: boolean }

/** Visitors who send one lead after another and, as the page does, repeat with the same key what broke off. */
export function startVisitors({
  count,
  listUrls,
  random,
  pauseMs,
}: {
  count: number
  /** Where servers listen now; none while all are down. */
  listUrls: () => readonly string[]
  random: () => number
  /** The longest pause between one visitor's leads. */
  pauseMs: number
}) {
  const leads: SentLead[] = []
  const surprises: string[] = []
  let repeats = 0
  let stopping = false

  async function visit(): Promise<void> {
    while (!stopping) {
      const name = `Visitor ${leads.length + 1}`
      const lead = { name, key: crypto.randomUUID(), acknowledged: false }
      leads.push(lead)
      // A double click: the same request twice at the same moment.
      if (random() < 0.05) await Promise.all([send(lead), send(lead)])
      else await send(lead)
      await pause(random() * pauseMs)
    }
  }

  async function send(lead: SentLead): Promise<void> {
    while (true) {
      const urls = listUrls()
      if (urls.length > 0) {
        const status = await post(pickOne(urls, random), lead)
        if (status === 200) lead.acknowledged = true
        else if (status !== 0 && status !== 503) surprises.push(`a lead was answered ${status}`)
        if (status !== 0 && status !== 503) return
        repeats += 1
        // Some leave. Their lead may be stored or not, but never twice.
        if (random() < 0.1) return
      }
      await pause(30)
    }
  }

  const all = Array.from({ length: count }, visit)
  return {
    leads,
    surprises,
    listAcknowledged: () => leads.filter(({ acknowledged }) => acknowledged),
    countRepeats: () => repeats,
    /** Ends when every visitor has an answer or has left. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.all(all)
    },
  }
}

/** The status, or 0 when the connection broke. */
async function post(url: string, { name, key }: SentLead): Promise<number> {
  try {
    const response = await fetch(url + functionPath, {
      method: 'POST',
      headers: {
        apikey: 'public-anon-key',
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(makeLead(name)),
      signal: AbortSignal.timeout(30_000),
    })
    await response.text()
    return response.status
  } catch {
    return 0
  }
}
