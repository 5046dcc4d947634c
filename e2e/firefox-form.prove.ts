import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect as expectSoon, test } from '@playwright/test'
import { findFirefox } from '#scripts/browsers.mjs'
import { form as words } from '#site/content.ts'
import { visitor as person } from './form.ts'
import { fillInAs, says, startFirefox, submit } from './other-browsers.ts'

// Two ways in which one press was no lead, or two.

const expect = expectSoon.configure({ timeout: 20_000 })
test.describe.configure({ mode: 'default', timeout: 120_000 })
test.skip(!findFirefox(), 'Firefox is not installed here')

let end: () => Promise<void>
test.afterEach(() => end())

/** Opens the page in Firefox and fills in the form. Somebody in between changes what the site says. */
async function begin(
  site = '',
  { answerType = 'application/json', change = async (_path: string, text: string) => text } = {},
) {
  const posts: string[] = []
  const between = createServer(async ({ method, url = '', headers }, response) => {
    if (method === 'POST') {
      posts.push(headers['content-type'] ?? '')
      response.writeHead(200, { 'content-type': answerType }).end('{"ok":true}')
      return
    }
    const answer = await fetch(`${site}${url}`)
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type })
    response.end(
      /html|script/.test(type) ? await change(url, await answer.text()) : await answer.bytes(),
    )
  }).listen(0)
  await once(between, 'listening')
  const visitor = await startFirefox()
  end = async () => {
    await visitor.close()
    between.closeAllConnections()
    between.close()
  }
  await visitor.resize(1280, 800)
  await visitor.open(`http://localhost:${(between.address() as AddressInfo).port}/`)
  await fillInAs(visitor)
  return { visitor, posts }
}

test('a stranger’s HTML is a failure, and the values are kept', async ({ baseURL }) => {
  const { visitor } = await begin(baseURL, { answerType: 'text/html' })
  await visitor.press(submit)
  await expect.poll(() => says(visitor, words.toasts.failed)).toBe(true)
  expect(await visitor.read(`document.getElementById('address').value`)).toBe(person.address)
  expect(await visitor.read(`localStorage.getItem('estimate-draft')`)).toContain(person.address)
})

test('code that arrives with the end of the wait makes one lead of one press', async ({
  baseURL,
}) => {
  const { promise: wanted, resolve: deliverCode } = Promise.withResolvers<void>()
  const { visitor, posts } = await begin(baseURL, {
    async change(path, text) {
      // The test says when the wait is over.
      if (path === '/') return text.replace('<head>', `<head><script>${takeOverWait}</script>`)
      if (!path.includes('main-')) return text
      await wanted
      return holdHydration(text)
    },
  })
  await visitor.press(submit)
  deliverCode()
  await expect.poll(() => visitor.read(isHydrating)).toBe(true)
  await visitor.read('window.endWait()')
  await visitor.read(goOn)
  await expect.poll(() => says(visitor, words.toasts.received)).toBe(true)
  expect(posts).toEqual(['application/json'])
})

const takeOverWait = `{
  const { setTimeout } = window
  window.setTimeout = (work, ms, ...rest) => {
    if (ms === 8000) window.endWait = work
    return setTimeout(work, ms === 8000 ? 2 ** 30 : ms, ...rest)
  }
}`

/** The form's code, but React works only when `goOn` is run: it goes by messages, and these wait. */
const holdHydration = (code: string) => `
  window.hydration = { waiting: [] }
  class HeldChannel {
    port1 = {}
    port2 = { postMessage: () => window.hydration.waiting.push(() => this.port1.onmessage()) }
  }
  ${code.replace('new MessageChannel', 'new HeldChannel')}`

const isHydrating = 'window.hydration?.waiting.length > 0'

const goOn = `
  for (const work of window.hydration.waiting) work()
  window.hydration.waiting.push = (work) => queueMicrotask(work)`
