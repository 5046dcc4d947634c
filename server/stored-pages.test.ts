import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { publishDraft, savePageDraft } from '#leads/store/page-versions.ts'
import { createLocation, openLocation, openTestDatabase } from '#testing/database.ts'
import { openPageDesk, openPageSite } from '#testing/page.ts'
import { testTime } from '#testing/saved-leads.ts'
import { startTestSite } from '#testing/server-process.ts'

it('shows the newest version that follows the rules, reports newer ones, and lists all', async () => {
  const db = await openTestDatabase('sqlite')
  const { publish, call, read, visit, poll } = await openPageDesk(db)
  const headlines = ['Headline one', 'Headline two', 'Headline three', 'Headline four']
  for (const headline of headlines) await publish({ 'hero.headline': headline })
  const store = (number: number, text: string) =>
    sql`update page_versions set content = ${text} where number = ${number}`.execute(db.kysely)
  await store(1, 'damaged')
  await store(3, JSON.stringify({ hero: { headline: '' } }))
  await store(4, '{')

  const restarted = await openPageSite(db)
  expect((await restarted.visit()).html).toContain('Headline two')
  expect(restarted.publisher.findFault()).toBe(
    'Version 4: The stored text is damaged. Version 3: Top of the page: Headline is empty. Fill it in.',
  )
  expect(await read()).toMatchObject({
    number: 4,
    draft: { hero: { headline: 'Headline two' } },
    published: { number: 2 },
    changes: [],
    mistakes: [],
  })
  const { versions } = (await call('GET', '/versions')).json
  expect(versions).toMatchObject([
    { number: 4, state: 'damaged', changes: [] },
    { number: 3, changes: ['Top of the page: Headline'] },
    { number: 2, changes: [] },
    { number: 1, state: 'damaged', changes: [] },
    { number: 0, changes: [] },
  ])
  const refused = await call('POST', '/undo', { number: 1, base: 4 })
  expect([refused.status, refused.message]).toEqual([400, 'The text of this version is damaged.'])
  expect((await call('POST', '/undo', { number: 2, base: 4 })).status).toBe(200)
  await restarted.poll()
  expect(restarted.publisher.findFault()).toBeUndefined()
  await poll()
  expect((await visit()).html).toContain('Headline two')
})

it.each(['published', 'restored'])(
  'lets what visitors see be %s over a damaged version',
  async (how) => {
    const db = await openTestDatabase('sqlite')
    const first = await openPageDesk(db)
    for (const headline of ['Headline one', 'Headline two'])
      await first.publish({ 'hero.headline': headline })
    await sql`update page_versions set content = '{' where number = 2`.execute(db.kysely)
    const { publish, call, publisher, visit } = await openPageDesk(db)
    expect(publisher.findFault()).toContain('Version 2')
    const { status } =
      how === 'published'
        ? await publish({ 'hero.headline': 'Headline one' })
        : await call('POST', '/undo', { number: 1, base: 2 })
    expect(status).toBe(200)
    expect(publisher.findFault()).toBeUndefined()
    expect((await visit()).html).toContain('Headline one')
    const again = await call('POST', '/undo', { number: 3, base: 3 })
    expect(again.message).toMatch(/^Nothing has changed/)
  },
)

it('marks the mistakes of a newest version that visitors do not see', async () => {
  const db = await openTestDatabase('sqlite')
  const { publish, read } = await openPageDesk(db)
  for (const headline of ['Headline one', 'Headline two'])
    await publish({ 'hero.headline': headline })
  const broken = JSON.stringify({ hero: { headline: '' } })
  await sql`update page_versions set content = ${broken} where number = 2`.execute(db.kysely)
  expect(await read()).toMatchObject({
    draft: { hero: { headline: '' } },
    published: { number: 1 },
    changes: [{ before: 'Headline one' }],
    mistakes: [{ path: 'hero.headline' }],
  })
})

it('edits the published page if the draft is damaged', async () => {
  const db = await openTestDatabase('sqlite')
  const { publish, save, call, read } = await openPageDesk(db)
  await publish({ 'hero.headline': 'Published' })
  await save({ 'hero.headline': 'Draft' })
  await sql`update page_draft set content = '{'`.execute(db.kysely)
  expect(await read()).toMatchObject({
    number: 2,
    saved: null,
    draft: { hero: { headline: 'Published' } },
    warnings: expect.arrayContaining([
      { message: expect.stringContaining('The draft is damaged') },
    ]),
  })
  expect((await call('GET', '/preview')).text).toContain('Published')
  expect((await call('POST', '/publish', { number: 2 })).message).toMatch(/^Nothing has changed/)
  expect((await save({ 'hero.headline': 'New draft' })).status).toBe(200)
  expect(await read()).toMatchObject({ number: 3, draft: { hero: { headline: 'New draft' } } })
})

it('reports in /healthz that visitors do not see the newest version', async () => {
  const location = await createLocation('sqlite')
  const db = await openLocation(location)
  const draft = { person: 'Sam', email: 'sam@example.com', now: testTime, content: {} }
  await savePageDraft(db, { ...draft, base: 0 })
  await publishDraft(db, { ...draft, base: 1, content: { hero: { headline: '' } } })
  const { url } = await startTestSite({ DATA_DIR: location.dataDir })
  const { warnings } = await (await fetch(`${url}/healthz`)).json()
  expect(warnings).toContain('page-not-shown')
})
