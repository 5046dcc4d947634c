import { spawn } from 'node:child_process'
import { once } from 'node:events'
import puppeteer from 'puppeteer-core'
import { findFirefox, findWebKit } from '#scripts/browsers.mjs'
import { findFreePort, waitUntil } from '#testing/processes.ts'
import { visitor as person } from './form.ts'

/** A browser other than Playwright's, with what the core walk needs of it. */
export type Visitor = {
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  read(expression: string): Promise<unknown>
  /** Real keys and a real press, as a person's. */
  type(selector: string, text: string): Promise<void>
  press(selector: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  takePicture(): Promise<Uint8Array>
  close(): Promise<void>
}

/** Real keys into every field that is given. */
export async function fillInAs(visitor: Visitor, values: Partial<typeof person> = person) {
  const { serviceType, ...texts } = values
  for (const [name, typed] of Object.entries(texts)) await visitor.type(`#${name}`, typed)
  if (serviceType) await visitor.type('#serviceType', 'Roof Repair')
}

export const says = (visitor: Visitor, text: string) =>
  visitor.read(`document.body.innerText.includes(${JSON.stringify(text)})`)

export const submit = '#estimate button[type=submit]'

export type Start = (options?: { scripts?: boolean }) => Promise<Visitor>

// From then on the page's `seenErrors` has what went wrong in it.
const watchErrors = `
  window.seenErrors = []
  for (const type of ['error', 'unhandledrejection', 'securitypolicyviolation'])
    addEventListener(type, (event) => window.seenErrors.push(String(event.message ?? event.reason ?? event.violatedDirective)))`

/** Over WebDriver BiDi, which Playwright speaks to newer Firefoxes only. */
export const startFirefox: Start = async ({ scripts = true } = {}) => {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox(),
    timeout: 60_000,
    extraPrefsFirefox: { 'javascript.enabled': scripts },
  })
  const page = await browser.newPage()
  if (scripts) await page.evaluateOnNewDocument(watchErrors)
  return {
    open: async (url) => void (await page.goto(url)),
    read: (expression) => page.evaluate(expression),
    type: (selector, text) => page.type(selector, text),
    // Puppeteer's own click waits for an observer, which is a script of the page.
    press: async (selector) => {
      const { x, y } = await page.$eval(selector, (element) => {
        element.scrollIntoView({ block: 'center', behavior: 'instant' })
        const { left, top, width, height } = element.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2 }
      })
      await page.mouse.click(x, y)
    },
    resize: (width, height) => page.setViewport({ width, height }),
    takePicture: () => page.screenshot(),
    close: () => browser.close(),
  }
}

// By this name the protocol hands out elements.
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** Over classic WebDriver: a few calls of plain HTTP, and a screen that nobody sees. */
export const startWebKit: Start = async ({ scripts = true } = {}) => {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1920x1200x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const display = await Promise.race([
    once(screen.stdio[3] as NodeJS.ReadableStream, 'data').then(([data]) => String(data).trim()),
    once(screen, 'exit').then(([code]) => {
      throw new Error(`Xvfb ended with ${code}`)
    }),
  ])
  const port = await findFreePort()
  const driver = spawn(findWebKit() ?? '', [`--port=${port}`], {
    env: { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: 'x11' },
    stdio: 'ignore',
  })

  let session = ''
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${session}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: every command has its own kind of value
    const { value } = (await response.json()) as { value: any }
    if (!response.ok) throw new Error(`${path}: ${value.error} ${value.message}`)
    return value
  }
  const find = async (selector: string) => {
    const found = await ask('POST', '/element', { using: 'css selector', value: selector })
    return `/element/${found[elementKey]}`
  }

  const end = () => {
    driver.kill()
    screen.kill()
  }

  const args = [
    '--automation',
    // No bar above the page: the window is as wide and high as it is asked to be.
    '--full-screen',
    // The page's own scripts only; the driver's still run.
    `--enable-javascript-markup=${scripts}`,
  ]
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { args } } }
  try {
    await waitUntil(() => ask('GET', '/status').then(Boolean, () => false))
    const { sessionId } = await ask('POST', '/session', { capabilities })
    session = `/session/${sessionId}`
  } catch (error) {
    end()
    throw error
  }
  return {
    open: async (url) => {
      await ask('POST', '/url', { url })
      // The protocol offers no moment before the load.
      if (scripts) await ask('POST', '/execute/sync', { script: watchErrors, args: [] })
    },
    read: (expression) =>
      ask('POST', '/execute/sync', { script: `return ${expression}`, args: [] }),
    type: async (selector, text) => ask('POST', `${await find(selector)}/value`, { text }),
    press: async (selector) => ask('POST', `${await find(selector)}/click`, {}),
    resize: (width, height) => ask('POST', '/window/rect', { width, height }),
    takePicture: async () => Buffer.from(await ask('GET', '/screenshot'), 'base64'),
    close: async () => {
      await ask('DELETE', '').finally(end)
    },
  }
}
