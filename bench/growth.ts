import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/database.ts'
import {
  claimDue,
  type Database,
  findNextDueAt,
  listLeads,
  saveLead,
} from '../supabase/functions/submit-to-airtable/store.ts'
import { startServer } from './server-process.ts'
import { formatMs, median, type Table } from './table.ts'

const sizes = [10, 1_000, 100_000]
const repeats = 20
const channel = 'airtable'

/** What a lead, a claim and a look at the list cost when many leads are stored and all still wait. */
export async function benchGrowth(): Promise<Table[]> {
  const rows: string[][] = []
  for (const size of sizes) {
    const dataDir = mkdtempSync(join(tmpdir(), 'bench-'))
    try {
      const db = await openDatabase({ dataDir })
      await storeLeads(db, size)
      const lease = { holder: 'bench', now: Date.now(), until: Date.now() + 60_000 }
      const times = [
        await time(() => storeLead(db)),
        await time(() => claimDue(db, channel, 10, lease)),
        await time(() => findNextDueAt(db, channel)),
        await time(() => listLeads(db, { limit: 50 })),
      ]
      await db.close()

      const server = await startServer({ DATA_DIR: dataDir })
      await fetch(`${server.url}/healthz`)
      const memory = `${Math.round((await server.memoryBytes()) / 2 ** 20)} MB`
      await server.stop()
      rows.push([size.toLocaleString('en'), ...times.map(formatMs), memory])
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
  return [
    {
      title: `How the cost grows, SQLite, every delivery waiting, medians of ${repeats}`,
      head: ['stored leads', 'store a lead', 'claim 10', 'next due', 'list 50', 'server memory'],
      rows,
    },
  ]
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

const lead = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '1 Ridge Rd, Denver, CO 80202',
  serviceType: 'roof-repair',
} as const

const storeLead = (db: Database, now = Date.now()) =>
  saveLead(
    db,
    {
      lead,
      details: { suspect: null, consent: null, source: null },
      bodyHash: '0'.repeat(64),
      clientAddress: `192.0.2.${now % 256}`,
      idempotencyKeys: [`key:${crypto.randomUUID()}`],
      channels: [channel],
    },
    { now, limitPerMinute: 1_000_000 },
  )

/** A lead a minute up to now; those of a batch share a commit. */
async function storeLeads(db: Database, count: number): Promise<void> {
  const batch = 500
  const startAt = Date.now() - count * 60_000
  for (let start = 0; start < count; start += batch) {
    const size = Math.min(batch, count - start)
    await Promise.all(
      Array.from({ length: size }, (_, index) => storeLead(db, startAt + (start + index) * 60_000)),
    )
  }
}
