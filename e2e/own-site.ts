import { type FakeAirtable, startFakeAirtable } from '#fakes/airtable.ts'
import { visitor } from './form.ts'
import { serveSite } from './site.ts'
import { expect, test as plain } from './test.ts'

type OwnSite = {
  /** Cleanup functions, called after the test in reverse order. */
  endings: (() => unknown)[]
  /** Starts a site with these settings and returns its URL. */
  startSite(settings?: Record<string, string>): Promise<string>
  airtable: FakeAirtable
}

/** For tests that need a site with different settings. */
export const test = plain.extend<OwnSite>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructuring pattern
  endings: async ({}, use) => {
    const endings: OwnSite['endings'] = []
    await use(endings)
    for (const end of endings.reverse()) await end()
  },
  // Depend on `endings`, so that the page closes before its site stops. Late pictures would otherwise fail to load.
  page: ({ endings: _, page }, use) => use(page),
  startSite: ({ endings }, use) =>
    use(async (settings = {}) => {
      const site = await serveSite({ HOST: '127.0.0.1', ...settings })
      endings.push(site.stop)
      return `http://127.0.0.1:${site.port}`
    }),
  airtable: async ({ endings }, use) => {
    const airtable = await startFakeAirtable()
    endings.push(airtable.close)
    await use(airtable)
  },
})

export async function expectRow({ records }: FakeAirtable, changed: object = {}) {
  const { name: Name, email: Email, phone: Phone, address: Address } = visitor
  await expect.poll(() => records.length).toBe(1)
  const row = { Name, Email, Phone, Address, Service: 'Roof Repair', ...changed }
  expect(records[0]?.fields).toMatchObject(row)
}
