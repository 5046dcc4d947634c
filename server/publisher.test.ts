import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { publishDraft, savePageDraft } from '#leads/store/page-versions.ts'
import { readConsent } from '#leads/store/stored-settings.ts'
import * as content from '#site/content.ts'
import { createLocation, engines, openLocation, openTestDatabase } from '#testing/database.ts'
import { expectValidPolicy, openPageDesk, openPageSite } from '#testing/page.ts'
import { testTime } from '#testing/saved-leads.ts'

const week = { Mon: ['7:00-18:00'], Tue: ['7:00-18:00'] }

// page-versions.test.ts tests the queries on both databases.
it.each(engines)(
  'shows a draft only after it is published, in every process and encoding, on %s',
  async (engine) => {
    const db = await openTestDatabase(engine)
    const { desk, publisher, visit, save, call, read, log } = await openPageDesk(db)
    const other = await openPageSite(db)
    const before = await visit()
    const changes = { 'hero.headline': 'Roofs & <b>more</b>', 'hours.open': week }
    const { status, json } = await save(changes)
    expect([status, json.mistakes]).toEqual([200, []])
    expect(json.changes).toMatchObject([
      { label: 'Hours: Business hours', before: 'Always open (24/7)' },
      { label: 'Top of the page: Headline', after: 'Roofs & <b>more</b>' },
    ])
    expect((await visit()).html).toBe(before.html)
    expect((await call('GET', '/preview')).text).toContain('Roofs &amp; &lt;b&gt;more')

    const published = await call('POST', '/publish', { number: json.number })
    expect(published.json).toEqual({ number: json.number, changes: json.changes })
    const after = await visit()
    expect(after.html).toContain('Roofs &amp; &lt;b&gt;more')
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(after.headers.get('cache-control')).toBe(before.headers.get('cache-control'))
    for (const encoding of ['br', 'gzip']) expect((await visit(encoding)).html).toBe(after.html)
    // Limited hours need a different inline script, so the policy must list a different hash.
    expectValidPolicy(before.html, before.headers)
    expectValidPolicy(after.html, after.headers)
    expect(publisher.content().hours.open).toEqual(week)
    expect(await read()).toMatchObject({ saved: null, changes: [], published: { isMine: true } })
    const [entry] = desk.log.entries.filter(({ message }) => message === 'published the page')
    expect(entry?.fields).toMatchObject({ by: { email: 'sam.hill@example.com' } })

    expect((await other.visit()).html).toBe(before.html)
    await other.poll()
    const copy = await other.visit()
    expect(copy.html).toBe(after.html)
    expect(copy.headers).toEqual(after.headers)
    expect(other.publisher.content()).toEqual(publisher.content())
    expect(log.entries).toEqual([])
  },
)

it('logs parallel presses of Publish once', async () => {
  const { save, call, desk } = await openPageDesk(await openTestDatabase('sqlite'))
  const { number } = (await save({ 'hero.headline': 'New' })).json
  const presses = Array.from({ length: 3 }, () => call('POST', '/publish', { number }))
  expect((await Promise.all(presses)).map(({ status }) => status)).toEqual([200, 200, 200])
  const { log } = (await desk.call('GET', '/api/people', { cookie: desk.cookie })).json
  expect(log.others).toMatchObject([{ action: 'published the page' }])
})

it('refuses to overwrite what someone else saved, and names the person', async () => {
  const { call, read, save, alex } = await openPageDesk(await openTestDatabase('sqlite'))
  const { draft, number } = await read()
  await save({ 'hero.headline': 'By Alex' }, alex)
  const late = await call('PUT', '/draft', { base: number, draft })
  expect(late.status).toBe(409)
  expect(late.message).toMatch(
    /^Alex changed the page \(6:00 AM CST\)\. Your latest changes aren’t saved\./,
  )
  expect(late.json.error.code).toBe('page-changed')
  expect((await call('POST', '/publish', { number })).status).toBe(409)
  expect(await read()).toMatchObject({
    draft: { hero: { headline: 'By Alex' } },
    saved: { person: 'Alex', isMine: false },
  })
  // Save from an older tab of the same person.
  const own = await call('PUT', '/draft', { base: number, draft }, alex)
  expect(own.message).toMatch(/^You changed the page in another tab or on another device/)
})

it('publishes an older version again', async () => {
  const { call, publish, read, visit, desk } = await openPageDesk(await openTestDatabase('sqlite'))
  for (const headline of ['Headline one', 'Headline two'])
    await publish({ 'hero.headline': headline })
  const { versions } = (await call('GET', '/versions')).json
  expect(versions).toMatchObject([
    {
      number: 2,
      person: 'Sam Hill',
      state: 'shown',
      changes: ['Top of the page: Headline'],
    },
    { number: 1, at: testTime },
    { number: 0, person: null },
  ])
  const undone = await call('POST', '/undo', { number: 1, base: 2 })
  expect(undone.json).toMatchObject({
    number: 3,
    changes: [{ before: 'Headline two', after: 'Headline one' }],
  })
  expect(desk.log.entries.at(-1)?.message).toBe('published an older version of the page')
  expect((await visit()).html).toContain('Headline one')
  expect(await read()).toMatchObject({
    draft: { hero: { headline: 'Headline one' } },
    saved: null,
  })
  expect((await call('POST', '/undo', { number: 9, base: 3 })).status).toBe(404)
  expect((await call('POST', '/undo', { number: 0, base: 3 })).status).toBe(200)
  expect((await visit()).html).toContain(content.hero.headline)
})

it('lists the changes of the last 20 versions, each against the one before', async () => {
  const { call, publish } = await openPageDesk(await openTestDatabase('sqlite'))
  const changes = { 'hero.lead': 'Since 1987 in', 'hero.headline': 'Headline 1' }
  await publish(changes)
  for (let number = 2; number <= 21; number++)
    await publish({ ...changes, 'hero.headline': `Headline ${number}` })
  const { versions } = (await call('GET', '/versions')).json
  expect(versions).toHaveLength(21)
  expect(versions.slice(-2)).toMatchObject([
    { number: 2, changes: ['Top of the page: Headline'] },
    { number: 0, changes: [] },
  ])
})

it('gives a changed consent text a new version, and an old text its old one', async () => {
  const db = await openTestDatabase('sqlite')
  const { publish, publisher, visit } = await openPageDesk(db)
  const { version, text } = content.form.consent
  await publish({ 'hero.headline': 'The same consent' })
  expect(publisher.content().form.consent.version).toBe(version)
  const versions: string[] = []
  for (const consent of ['{company} may call.', '{company} may text.', text]) {
    await publish({ 'form.consent.text': consent })
    versions.push(publisher.content().form.consent.version)
    expect((await visit()).html).toContain(versions.at(-1))
  }
  expect(versions).toEqual(['2026-11-15', '2026-11-15-2', version])
  const { name } = content.company
  expect(await readConsent(db, '2026-11-15-2')).toBe(`${name} may text.`)
})

it('fills in missing entries, and shows the last valid page, or else the site’s own', async () => {
  const db = await openTestDatabase('sqlite')
  const author = { person: 'Sam', email: 'sam@example.com', now: testTime }
  const store = async (draft: object) => {
    const base = (await savePageDraft(db, { ...author, base: await count(), content: draft })) as {
      number: number
    }
    await publishDraft(db, { ...author, base: base.number, content: draft })
  }
  const count = async () =>
    (await db.kysely.selectFrom('pageVersions').select('number').execute()).length
  const built = await (await openPageSite(db)).visit()
  await store({ hero: { headline: '' }, services: 7 })
  const invalid = await openPageSite(db)
  expect((await invalid.visit()).html).toBe(built.html)
  expect(invalid.publisher.content()).toBe(content)
  expect(invalid.publisher.findFault()).toContain('Headline is empty')

  await store({ hero: { headline: 'Only a headline' } })
  const partial = await openPageSite(db)
  expect((await partial.visit()).html).toContain('Only a headline')
  expect(partial.publisher.content().services).toEqual(content.services)

  await store({ hero: { headline: '' }, services: 7 })
  // A running process keeps the last good page.
  await partial.poll()
  expect((await partial.visit()).html).toContain('Only a headline')
  expect(partial.publisher.findFault()).toContain('Headline is empty')
  expect(partial.log.entries.map(({ message }) => message)).toContain(
    'cannot show the published page',
  )

  // The database fails for a moment, which changes neither the page nor the reported fault.
  await sql`alter table page_versions rename to gone`.execute(db.kysely)
  await partial.poll()
  await sql`alter table gone rename to page_versions`.execute(db.kysely)
  await partial.poll()
  expect(partial.publisher.findFault()).toContain('Headline is empty')

  await store({ hero: { headline: 'Good again' } })
  await partial.poll()
  expect((await partial.visit()).html).toContain('Good again')
  expect(partial.publisher.findFault()).toBeUndefined()
})

it('shows an older version, once, if the database was restored from a backup', async () => {
  const db = await openTestDatabase('sqlite')
  const { publish, visit, poll, publisher, log } = await openPageDesk(db)
  const built = await visit()
  for (const headline of ['Headline one', 'Headline two'])
    await publish({ 'hero.headline': headline })
  await sql`delete from page_versions where number = 2`.execute(db.kysely)
  for (let polls = 0; polls < 3; polls++) await poll()
  expect((await visit()).html).toContain('Headline one')
  expect(log.entries).toHaveLength(1)
  await sql`delete from page_versions`.execute(db.kysely)
  await poll()
  expect((await visit()).html).toBe(built.html)
  expect(publisher.content()).toBe(content)
})

it('renders with the build that it serves, even after another build', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const siteDir = join(folder, 'dist')
  for (const end of ['', '-render']) cpSync(`dist${end}`, `${siteDir}${end}`, { recursive: true })
  const db = await openTestDatabase('sqlite')
  const { publisher } = await openPageSite(db, siteDir)
  const file = `${siteDir}-render/build.json`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/assets/', '/assets/newer-'))
  const { index: html } = await publisher.render(content)
  expect(html).toContain('/assets/')
  expect(html).not.toContain('/assets/newer-')
})

it('tries again if it could not show a version for another reason', async () => {
  const db = await openTestDatabase('sqlite')
  const { visit, poll, publisher, log } = await openPageSite(db)
  const author = { person: 'Sam', email: 'sam@example.com', now: testTime }
  // The new consent text needs a new version, which cannot be stored.
  await sql`create trigger full before insert on settings
    begin select raise(abort, 'disk full'); end`.execute(db.kysely)
  const draft = { form: { consent: { text: '{company} may call.', version: 'new' } } }
  await savePageDraft(db, { ...author, base: 0, content: draft })
  await publishDraft(db, { ...author, base: 1, content: draft })
  const before = await visit()
  for (let polls = 0; polls < 2; polls++) await poll()
  expect((await visit()).html).toBe(before.html)
  expect(publisher.findFault()).toContain('Error')
  expect(log.entries).toHaveLength(1)
  await sql`drop trigger full`.execute(db.kysely)
  await poll()
  expect((await visit()).html).toContain(`${content.company.name} may call.`)
  expect(publisher.findFault()).toBeUndefined()
})

it('neither saves nor publishes on a full disk, and keeps the page and the draft', async () => {
  const db = await openLocation(await createLocation('sqlite'))
  const { save, publish, call, visit, read, desk } = await openPageDesk(db)
  await publish({ 'hero.headline': 'Headline one' })
  // Publishing a long draft needs more space, because SQLite writes a new row before it frees the old one.
  const reviews = Array(100).fill({ name: 'Ann', text: 'x'.repeat(1_000) })
  const { json } = await save({ 'testimonials.reviews': reviews })
  const setMaxPages = (count: number) =>
    sql`pragma max_page_count = ${sql.lit(count)}`.execute(db.kysely)
  const { rows } = await sql<{ pageCount: number }>`pragma page_count`.execute(db.kysely)
  await setMaxPages(rows[0]?.pageCount ?? 0)

  const unsaved = await save({ 'about.text': 'x'.repeat(200_000) })
  expect([unsaved.status, unsaved.message]).toEqual([
    503,
    expect.stringMatching(/^The server can’t store/),
  ])
  const unpublished = await call('POST', '/publish', { number: json.number })
  expect([unpublished.status, unpublished.message]).toEqual([
    503,
    expect.stringMatching(/^Nothing was published/),
  ])
  expect((await visit()).html).toContain('Headline one')
  const { number, draft } = await read()
  expect([number, draft.testimonials.reviews]).toEqual([json.number, reviews])
  const failures = desk.log.entries.filter(({ message }) => message === 'the page editor failed')
  expect(failures.map(({ fields }) => fields)).toEqual([
    { error: expect.stringContaining('database or disk is full') },
    { error: expect.stringContaining('database or disk is full') },
  ])
  await setMaxPages(1_000_000)
  expect((await call('POST', '/publish', { number })).status).toBe(200)
})
