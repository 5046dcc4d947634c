import { type FakeAirtable, startFakeAirtable } from '#fakes/airtable.ts'
import { visitor } from './form.ts'
import { serveSite } from './site.ts'
import { expect, test as plain } from './test.ts'

type OwnSite = {
  /** Run after the test, the latest first. */
  endings: (() => unknown)[]
  /** Starts a site with these settings and returns its address. */
  startSite(settings?: Record<string, string>): Promise<string>
  airtable: FakeAirtable
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
