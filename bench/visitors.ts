import { setTimeout as pause } from 'node:timers/promises'
import { pickOne } from '#fakes/random.ts'
import { postLead, testLead } from '#testing/app.ts'

export const makeLead = (name: string) => ({
  ...testLead,
  name,
  email: `${name.replace(' ', '.').toLowerCase()}@example.com`,
  address: `${name} Main St`,
})

export type SentLead = { name: string; key: string; acknowledged: boolean }

/** Simulates visitors who keep sending leads and, like the page, retry with the same idempotency key. */
export function startVisitors({
  count,
  listUrls,
  random,
  pauseMs,
}: {
  count: number
  /** Returns the URLs of the servers that are running, if any. */
  listUrls: () => readonly string[]
  random: () => number
  /** The longest pause between a visitor's leads. */
  pauseMs: number
}) {
  const leads: SentLead[] = []
  const unexpected: string[] = []
  let retries = 0
  let stopping = false

  async function visit(): Promise<void> {
    while (!stopping) {
      const name = `Visitor ${leads.length + 1}`
      const lead = { name, key: crypto.randomUUID(), acknowledged: false }
      leads.push(lead)
      // Some visitors double-click.
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
        else if (status !== 0 && status !== 503) unexpected.push(`a lead got status ${status}`)
        if (status !== 0 && status !== 503) return
        retries += 1
        // Some visitors leave. Their lead may be stored once or not at all.
        if (random() < 0.1) return
      }
      await pause(30)
    }
  }

  const all = Array.from({ length: count }, visit)
  return {
    leads,
    unexpected,
    listAcknowledged: () => leads.filter(({ acknowledged }) => acknowledged),
    countRetries: () => retries,
    /** Resolves when every visitor has a response or has left. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.all(all)
    },
  }
}

/** Returns the status, or 0 if the connection failed. */
async function post(url: string, { name, key }: SentLead): Promise<number> {
  try {
    const response = await postLead(url, makeLead(name), { 'idempotency-key': key })
    await response.text()
    return response.status
  } catch {
    return 0
  }
}
