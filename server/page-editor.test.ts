import { expect, it } from 'vitest'
import * as content from '#site/content.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { hash, openPageDesk } from '#testing/page.ts'

it('stores a draft with mistakes, names them, and does not publish it', async () => {
  const { save, call, visit, read } = await openPageDesk(await openTestDatabase('sqlite'))
  const before = await visit()
  const bad = {
    'hero.headline': '',
    'hero.lead': 'x'.repeat(10_000),
    'about.heading': 'Hello {unknown}',
    'company.phone': 'call me',
    'hours.open': { Mon: ['7:00-12:00', '11:00-18:00'] },
    'testimonials.reviews': [{ text: 'No name' }],
    'testimonials.allReviews': { label: 'All', url: 'http://example.com' },
  }
  const { status, json } = await save(bad)
  expect(status).toBe(200)
  const paths = json.mistakes.map(({ path }: { path: string }) => path)
  for (const path of Object.keys(bad))
    expect(paths.some((found: string) => found.startsWith(path))).toBe(true)
  for (const { message } of json.mistakes) expect(message).toMatch(/\.$/)
  const refused = await call('POST', '/publish', { number: json.number })
  expect([refused.status, refused.json.mistakes]).toEqual([400, json.mistakes])
  expect((await visit()).html).toBe(before.html)
  expect((await read()).draft.hero.lead).toHaveLength(10_000)
  expect((await call('GET', '/preview')).status).toBe(200)
})

it('warns about a page that is too long for one round trip, and publishes it', async () => {
  const { save, call } = await openPageDesk(await openTestDatabase('sqlite'))
  const tooLong =
    /^The page is about [\d,]+00 characters too long\..* The longest: Reviews: Review 8 \(900\), About you: Text \(300\), /
  const { json: sample } = await save({ 'hero.headline': 'A roof in a day' })
  expect(sample.warnings).not.toContainEqual({ message: expect.stringMatching(tooLong) })
  // Use hashes, because they do not compress well.
  const reviews = Array.from({ length: 100 }, (_, at) => ({ name: 'Ann', text: hash(String(at)) }))
  const texts = Object.assign(reviews, { 7: { name: 'Ann', text: 'x'.repeat(900) } })
  const { json } = await save({ 'testimonials.reviews': texts, 'about.text': 'x'.repeat(300) })
  expect(json.warnings).toContainEqual({ message: expect.stringMatching(tooLong) })
  expect((await call('POST', '/publish', { number: json.number })).status).toBe(200)
})

it('formats a phone number before it is published, and knows the samples that Undo would bring back', async () => {
  const { save, call, visit, read } = await openPageDesk(await openTestDatabase('sqlite'))
  const { json } = await save({ 'company.phone': '612.234 7810', 'testimonials.reviews': [] })
  expect(json.changes).toContainEqual(expect.objectContaining({ after: '(612) 234-7810' }))
  expect(json.publishedSamples).toContain('testimonials.reviews.0')
  expect((await call('POST', '/publish', { number: json.number })).status).toBe(200)
  expect((await visit()).html).toContain('(612) 234-7810')
  expect((await read()).publishedSamples).not.toContain('testimonials.reviews.0')
})

it('previews the draft in a frame without scripts, only on the desk', async () => {
  const { call, desk } = await openPageDesk(await openTestDatabase('sqlite'))
  const { headers, text } = await call('GET', '/preview')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; img-src 'self'; font-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
  )
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).toContain(content.hero.headline)
  expect((await desk.call('GET', '/api/page/preview')).status).toBe(401)
})

it('rejects what is not a draft', async () => {
  const { call } = await openPageDesk(await openTestDatabase('sqlite'))
  for (const body of [{}, { base: 0, draft: 'text' }, { base: -1, draft: {} }, { draft: {} }])
    expect((await call('PUT', '/draft', body)).status).toBe(400)
  const nul = { base: 0, draft: { hero: { headline: 'a\0b' } } }
  expect((await call('PUT', '/draft', nul)).status).toBe(400)
  const long = { base: 0, draft: { hero: { headline: 'x'.repeat(600_000) } } }
  expect((await call('PUT', '/draft', long)).message).toBe(
    'This is too long. Shorten it and try again.',
  )
  expect((await call('POST', '/publish', { number: 0 })).message).toMatch(/^Nothing has changed/)
})

it('refuses to store a list that is too long, or a value nested where a text belongs', async () => {
  const { call, read } = await openPageDesk(await openTestDatabase('sqlite'))
  const save = (draft: object) => call('PUT', '/draft', { base: 0, draft })
  // Without a limit, a draft like this would block the server for 13 s.
  const long = await save({ testimonials: { reviews: Array(165_000).fill({}) } })
  expect([long.status, long.message]).toEqual([
    400,
    'Reviews can have at most 100 entries. This list has 165,000.',
  ])
  const deep = await save({
    hero: { headline: JSON.parse('[{"a":'.repeat(1_420) + 0 + '}]'.repeat(1_420)) },
  })
  expect([deep.status, deep.message]).toEqual([
    400,
    'Top of the page: Headline has a list or a group where text belongs.',
  ])
  expect(await read()).toMatchObject({ number: 0, saved: null })
})

it('refuses to edit a page that another process serves', async () => {
  const { get } = await openTestDesk()
  expect(await get('/api/page')).toEqual({ isHere: false, message: expect.stringMatching(/file/) })
})
