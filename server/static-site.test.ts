import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { createDir } from '#testing/database.ts'
import { createStaticSite } from './static-site.ts'

const files = {
  'index.html': 'the page',
  'index.html.br': 'the page in brotli',
  'index.html.gz': 'the page in gzip',
  '404.html': 'not found',
  '404.html.br': 'not found in brotli',
  'favicon.svg': '<svg/>',
  'assets/main-abc123.js': 'code',
  '.setup-done': 'a stamp',
  _headers:
    '/*\n  X-Frame-Options: DENY\n  Strict-Transport-Security: max-age=9\n/assets/*\n  Cache-Control: immutable\n',
}

function serve(options?: { overTls: boolean }) {
  const folder = createDir()
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const site = createStaticSite(folder, options)
  const app = new Hono().all('*', site.serve)
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.request(path, { method, headers })
}

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['identity', null],
  ['', null],
])('answers %j with the smallest accepted encoding', async (accepted, encoding) => {
  const answer = await serve()('/', { 'accept-encoding': accepted })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  const name = { br: ' in brotli', gzip: ' in gzip' }[String(encoding)] ?? ''
  expect(await answer.text()).toBe(`the page${name}`)
  expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
})

test('sends the headers from the build, and lets browsers cache only hashed files', async () => {
  const get = serve()
  for (const path of ['/', '/favicon.svg', '/nowhere', '/assets/main-abc123.js']) {
    const { headers } = await get(path)
    const kept = path.startsWith('/assets/') ? 'immutable' : 'no-cache'
    expect(headers.get('cache-control')).toBe(kept)
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
})

test('sends Strict-Transport-Security only over TLS', async () => {
  const readHsts = async (get: ReturnType<typeof serve>, headers = {}) =>
    (await get('/', headers)).headers.get('strict-transport-security')
  expect(await readHsts(serve())).toBeNull()
  expect(await readHsts(serve(), { 'x-forwarded-proto': 'http' })).toBeNull()
  expect(await readHsts(serve(), { 'x-forwarded-proto': 'https' })).toBe('max-age=9')
  expect(await readHsts(serve({ overTls: true }))).toBe('max-age=9')
})

test('answers 304 without a body when the ETag matches, per encoding', async () => {
  const get = serve()
  const etags = new Set<string>()
  for (const encoding of ['br', 'gzip', 'identity']) {
    const first = await get('/', { 'accept-encoding': encoding })
    const etag = first.headers.get('etag') ?? ''
    etags.add(etag)
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await get('/', { 'accept-encoding': encoding, 'if-none-match': known })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
    }
    const changed = await get('/', { 'accept-encoding': encoding, 'if-none-match': '"older"' })
    expect(changed.status).toBe(200)
  }
  expect(etags.size).toBe(3)
})

test('answers unknown paths with the 404 page and status', async () => {
  const hidden = ['/index.html', '/404.html', '/.setup-done', '/_headers']
  const malformed = ['/%E0%A4%A', '/..%2f..%2fpackage.json', '/__proto__']
  for (const path of ['/nowhere', '/assets', '/assets/', ...malformed, ...hidden]) {
    const answer = await serve()(path, { 'if-none-match': '*' })
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, 'not found'])
  }
})

test('answers HEAD without a body and rejects other methods', async () => {
  const get = serve()
  const head = await get('/', {}, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '8'])
  expect(await head.text()).toBe('')
  const put = await get('/', {}, 'PUT')
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('does not start without a built site', () => {
  expect(() => createStaticSite(join(createDir(), 'no-such-folder'))).toThrow('npm run build')
})
