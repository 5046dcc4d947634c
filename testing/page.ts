import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { expect, onTestFinished } from 'vitest'
import type { Database } from '#leads/store/tables.ts'
import { createPageRoutes } from '#server/page-routes.ts'
import { createPublisher } from '#server/publisher.ts'
import { createStaticSite } from '#server/static-site.ts'
import * as content from '#site/content.ts'
import { openTestDesk } from './desk.ts'
import { createTestLog } from './log.ts'
import { testTime } from './saved-leads.ts'

/** Simulates a process that serves the built page. `poll` runs its timer. */
export async function openPageSite(db: Database, siteDir = 'dist') {
  const site = createStaticSite(siteDir)
  const log = createTestLog()
  const app = new Hono().all('*', site.serve)
  const planned: { ms: number; work: () => unknown }[] = []
  const timers = {
    start: (ms: number, work: () => unknown) => {
      planned.push({ ms, work })
      return () => planned.pop()
    },
    timeout: AbortSignal.timeout,
  }
  const publisher = createPublisher({
    ...{ db, site, siteDir, file: content, log, timers },
    now: () => testTime,
  })
  await publisher.start()
  onTestFinished(publisher.stop)
  const visit = async (encoding = 'identity') => {
    const response = await app.request('/', { headers: { 'accept-encoding': encoding } })
    const body = Buffer.from(await response.arrayBuffer())
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding]
    return { html: String(unpack?.(body) ?? body), headers: response.headers }
  }
  const poll = async () => {
    const next = planned.shift()
    expect(next?.ms).toBeLessThanOrEqual(5_000)
    await next?.work()
  }
  return { publisher, log, visit, poll }
}

/** Simulates a process with a desk on which Sam and Alex are signed in. */
export async function openPageDesk(db: Database) {
  const site = await openPageSite(db)
  const desk = await openTestDesk(db, { addPageRoutes: createPageRoutes(site.publisher) })
  const alex = await desk.signIn('alex@example.com')
  const call = async (method: string, path: string, body?: object, cookie = desk.cookie) =>
    desk.call(method, `/api/page${path}`, { cookie, ...(body && { body }) })
  const read = async (cookie?: string) => (await call('GET', '', undefined, cookie)).json
  /** Changes entries such as `{ 'hero.headline': 'New' }` in the newest draft. */
  const save = async (changes: Record<string, unknown>, cookie?: string) => {
    const { draft, number } = await read(cookie)
    return call('PUT', '/draft', { base: number, draft: change(draft, changes) }, cookie)
  }
  const publish = async (changes: Record<string, unknown>) => {
    const { json } = await save(changes)
    return call('POST', '/publish', { number: json.number })
  }
  return { ...site, desk, alex, call, read, save, publish }
}

function change(draft: object, changes: Record<string, unknown>) {
  const copy = structuredClone(draft)
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const group = names.reduce((inner, name) => Object(inner)[name], copy)
    Object(group)[last] = value
  }
  return copy
}

export const hash = (text: string) =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Checks that the page's policy allows every inline script and style. */
export function expectValidPolicy(html: string, headers: Headers) {
  const policy = headers.get('content-security-policy') ?? ''
  const executable = /<script(?![^>]*json)[^>]*>(.*?)<\/script>|<style>(.*?)<\/style>/gs
  const inlined = [...html.matchAll(executable)].map(([, script, style]) => script ?? style ?? '')
  expect(inlined.length).toBeGreaterThan(1)
  for (const text of inlined) expect(policy).toContain(hash(text))
}
