import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { createDir } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { keepAssets } from './kept-assets.ts'
import { createStaticSite } from './static-site.ts'

const dayMs = 24 * 60 * 60_000

/** Images that start one after the other, with one volume. */
function prepare() {
  const [dist, folder] = [createDir(), join(createDir(), 'assets')]
  const assets = join(dist, 'assets')
  const log = createTestLog()
  return {
    folder,
    log,
    startOn(day: number, files: Record<string, string>) {
      rmSync(assets, { recursive: true, force: true })
      mkdirSync(assets)
      for (const name of ['index.html', '404.html']) writeFileSync(join(dist, name), name)
      writeFileSync(join(dist, '_headers'), '/*\n/assets/*\n  Cache-Control: immutable\n')
      writeFileSync(join(assets, 'earlier.json'), '{}')
      for (const [name, text] of Object.entries(files)) writeFileSync(join(assets, name), text)
      keepAssets(assets, { folder, now: day * dayMs, log })
      const app = new Hono().all('*', createStaticSite(dist, { keptAssets: folder }))
      return (name: string) =>
        app.request(`/assets/${name}`, { headers: { 'accept-encoding': 'br' } })
    },
  }
}

test('an image serves the files of those before it, for 30 days from when they were replaced', async () => {
  const { startOn, folder } = prepare()
  startOn(0, { 'a-1.js': 'one', 'a-1.js.br': 'one in brotli' })
  const get = startOn(100, { 'a-2.js': 'two' })
  const answer = await get('a-1.js')
  expect(await answer.text()).toBe('one in brotli')
  expect(answer.headers.get('cache-control')).toBe('immutable')
  expect(await (await get('a-2.js')).text()).toBe('two')
  expect((await startOn(129, { 'a-3.js': 'three' })('a-1.js')).status).toBe(200)
  const last = startOn(130, { 'a-3.js': 'three' })
  expect((await last('a-1.js')).status).toBe(404)
  expect((await last('a-2.js')).status).toBe(200)
  expect(readdirSync(folder).sort()).toEqual(['a-2.js', 'a-3.js', 'earlier.json'])
})

test('a version that is put back is in use again, and its own files go before kept ones', async () => {
  const { startOn, folder } = prepare()
  startOn(0, { 'a-1.js': 'one' })
  startOn(1, { 'a-2.js': 'two' })
  startOn(2, { 'a-1.js': 'one' })
  expect(JSON.parse(readFileSync(join(folder, 'earlier.json'), 'utf8'))).toEqual({
    'a-2.js': 2 * dayMs,
  })
  writeFileSync(join(folder, 'a-1.js'), 'damaged')
  const get = startOn(40, { 'a-1.js': 'one' })
  expect(await (await get('a-1.js')).text()).toBe('one')
  expect((await get('a-2.js')).status).toBe(404)
})

test('a volume that takes nothing is said, and the site starts', async () => {
  const { startOn, folder, log } = prepare()
  writeFileSync(folder, 'a file in the way')
  expect((await startOn(0, { 'a-1.js': 'one' })('a-1.js')).status).toBe(200)
  expect(JSON.stringify(log.entries)).toContain('ASSETS_DIR')
})
