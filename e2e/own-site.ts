import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AirtableStandIn, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { visitor } from './form.ts'
import { siteDir } from './site.ts'
import { expect, test as plain } from './test.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }

type OwnSite = {
  /** What is to end with the test, the latest first. */
  endings: (() => unknown)[]
  /** Starts a site with these settings and answers its address. */
  startSite(settings?: Record<string, string>): Promise<string>
  startAirtable(): Promise<{ airtable: AirtableStandIn; settings: Record<string, string> }>
}

/** For tests whose site needs other settings than all others'. */
export const test = plain.extend<OwnSite>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
  endings: async ({}, use) => {
    const endings: OwnSite['endings'] = []
    await use(endings)
    for (const end of endings.reverse()) await end()
  },
  startSite: ({ endings }, use) =>
    use(async (settings = {}) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'e2e-'))
      endings.push(() => rmSync(dataDir, { recursive: true, force: true }))
      const env = readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ...settings })
      const site = await startSite({ env, siteDir, fetch, now: Date.now, log })
      endings.push(site.stop)
      return `http://127.0.0.1:${site.port}`
    }),
  startAirtable: ({ endings }, use) =>
    use(async () => {
      const airtable = await startAirtableStandIn()
      endings.push(airtable.close)
      const { url, token, baseId } = airtable
      const settings = { AIRTABLE_API_URL: url, AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId }
      return { airtable, settings }
    }),
})

export async function expectRow({ records }: AirtableStandIn, name = visitor.name) {
  await expect.poll(() => records.length).toBe(1)
  expect(records[0]?.fields).toMatchObject({
    Name: name,
    Email: visitor.email,
    Phone: visitor.phone,
    Address: visitor.address,
    Service: 'Roof Repair',
  })
}
