import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, devices } from '@playwright/test'
import { sql } from 'kysely'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { quietLog } from '#testing/log.ts'
import { findFreePort } from '#testing/processes.ts'
import playwrightConfig from '../playwright.config.ts'
import { runLighthouse } from './page.ts'
import { findQuantile, formatMs, median, type Table } from './report.ts'

const leads = 100_000
const rounds = 9
const views = 5

/** The desk over 100,000 leads on SQLite: what a search takes, and the first view on a slow phone. */
export async function benchDesk(): Promise<Table[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-desk-'))
  await fill(dataDir)
  const env = readEnv({ DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1' })
  const site = await startSite({ env, siteDir: 'dist', fetch, now: Date.now, log: quietLog })
  const port = await findFreePort()
  const launch = playwrightConfig.use?.launchOptions
  const args = [...(launch?.args ?? []), `--remote-debugging-port=${port}`]
  const browser = await chromium.launch({ ...launch, args })
  try {
    const context = await browser.newContext(devices['Pixel 7'])
    const page = await context.newPage()
    await page.goto((await site.desk?.makeLink()) ?? '')
    await page.getByRole('button').click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const url = new URL(page.url()).origin
    const ask = async (query: string) => {
      const startAt = performance.now()
      const data = Object.fromEntries(new URLSearchParams(query))
      const headers = { origin: url }
      const response = await context.request.post(`${url}/api/search`, { data, headers })
      if (!response.ok()) throw new Error(`The desk answers ${response.status()}.`)
      return performance.now() - startAt
    }
    const rows: string[][] = []
    for (const [name, query] of [
      ['no filter', ''],
      ['a name that 1,000 have', 'search=person%2077'],
      ['a name that nobody has', 'search=zzyzx'],
      ['a phone number', 'search=(612)%20555-0199'],
      ['a street, not answered', 'search=elm&state=waiting'],
    ] as const) {
      const took: number[] = []
      for (let round = 0; round < rounds; round++) took.push(await ask(query))
      rows.push([name, formatMs(median(took)), formatMs(findQuantile(took, 1))])
    }
    const [session] = await context.cookies()
    const cookie = `${session?.name}=${session?.value}`
    const seen: Awaited<ReturnType<typeof runLighthouse>>[] = []
    for (let view = 0; view < views; view++)
      seen.push(await runLighthouse(`${url}/`, port, { cookie }))
    const list = (id: string) => seen.map(({ times }) => times[id] ?? Number.NaN)
    return [
      {
        title: `The desk, ${leads.toLocaleString('en-US')} leads on SQLite, ${rounds} searches each`,
        head: ['search', 'median', 'slowest'],
        rows,
      },
      {
        title: `The desk's first view: Lighthouse, mobile, simulated 4G, ${views} runs`,
        head: ['', 'median', 'each run'],
        rows: Object.entries({
          'first paint': list('first-contentful-paint'),
          // Its simulated time would count the script, which on this machine comes before any paint.
          'largest paint after the first': seen.map(({ largestAfterMs }) => largestAfterMs),
          'blocking time': list('total-blocking-time'),
        }).map(([name, each]) => [name, formatMs(median(each)), each.map(Math.round).join(' ')]),
      },
    ]
  } finally {
    await browser.close()
    await site.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Spread over two years, all but the last hundred answered. */
async function fill(dataDir: string): Promise<void> {
  const db = await openDatabase({ dataDir })
  const now = Date.now()
  await sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${leads - 1})
    insert into leads (id, name, email, phone, address, service_type, received_at, client_address,
      body_hash, answered_at, answered_by)
    select printf('%08x-0000-4000-8000-000000000000', i), 'Person ' || (i % 1000) || ' Smith',
      'person' || i || '@example.com', printf('(612) %03d-%04d', i % 1000, i % 10000),
      (i % 900) || ' Elm Street, Edina, MN 55424', 'roof-repair', ${now} - i * 630000, '', '',
      case when i < 100 then null else ${now} - i * 630000 + 60000 end,
      case when i < 100 then null else 'link' end
    from n`.execute(db.kysely)
  await db.close()
}
