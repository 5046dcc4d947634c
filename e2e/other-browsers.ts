import puppeteer from 'puppeteer-core'
import { findFirefox, findWebKit } from '#scripts/tools.mjs'
import { findFreePort, startProcess, waitUntil } from '#testing/processes.ts'

/** A browser that Playwright cannot control. Key presses and clicks are real. */
export type OtherBrowser = {
  open(url: string): Promise<void>
  /** Evaluates an expression in the page. */
  read(expression: string): Promise<unknown>
  type(selector: string, text: string): Promise<void>
  press(selector: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  close(): Promise<void>
}

const isOnTop = (selector: string) => `
  const element = document.querySelector('${selector}')
  element.scrollIntoView({ block: 'nearest', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))`

export const shows = (browser: OtherBrowser, text: string) =>
  browser.read(`document.body.innerText.includes(${JSON.stringify(text)})`)

const watchErrors = `
  window.seenErrors = []
  for (const type of ['error', 'unhandledrejection', 'securitypolicyviolation'])
    addEventListener(type, (event) => window.seenErrors.push(String(event.message ?? event.reason ?? event.violatedDirective)))`

/** Uses BiDi, because Debian has no geckodriver and Playwright needs its own Firefox. */
export async function startFirefox({ scripts = true } = {}): Promise<OtherBrowser> {
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
    // Puppeteer's click() needs scripts in the page.
    press: async (selector) => {
      const { x, y } = await page.$eval(selector, (element) => {
        element.scrollIntoView({ block: 'center', behavior: 'instant' })
        const { left, top, width, height } = element.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2 }
      })
      await page.mouse.click(x, y)
    },
    resize: (width, height) => page.setViewport({ width, height }),
    close: () => browser.close(),
  }
}

/** Uses classic WebDriver over HTTP, on a virtual screen. */
export async function startWebKit({ scripts = true } = {}): Promise<OtherBrowser> {
  const screen = startProcess('Xvfb', ['-displayfd', '1', '-screen', '0', '1920x1200x24'], {})
  await waitUntil(() => screen.output.stdout.endsWith('\n'))
  const port = await findFreePort()
  const driver = startProcess(findWebKit() ?? '', [`--port=${port}`], {
    DISPLAY: `:${screen.output.stdout.trim()}`,
    GDK_BACKEND: 'x11',
  })
  const end = () => Promise.all([driver, screen].map((one) => one.kill('SIGTERM')))

  let session = ''
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${session}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: every command returns a different type
    const { value } = (await response.json()) as { value: any }
    if (!response.ok) throw new Error(`${path}: ${value.error} ${value.message}`)
    return value
  }
  const run = (script: string) => send('POST', '/execute/sync', { script, args: [] })
  const find = async (selector: string) => {
    const found = await send('POST', '/element', { using: 'css selector', value: selector })
    // The object has only one key, which is a constant in the WebDriver protocol.
    return `/element/${Object.values(found)[0]}`
  }

  // Full screen hides the toolbar. The last flag affects the page's scripts, but not WebDriver's.
  const args = ['--automation', '--full-screen', `--enable-javascript-markup=${scripts}`]
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { args } } }
  try {
    await waitUntil(() => send('GET', '/status').then(Boolean, () => false))
    const { sessionId } = await send('POST', '/session', { capabilities })
    session = `/session/${sessionId}`
  } catch (error) {
    await end()
    throw error
  }
  return {
    open: async (url) => {
      await send('POST', '/url', { url })
      // WebDriver cannot run a script before the page loads.
      if (scripts) await run(watchErrors)
    },
    read: (expression) => run(`return ${expression}`),
    type: async (selector, text) => send('POST', `${await find(selector)}/value`, { text }),
    press: async (selector) => {
      // Wait until the element is in place, because WebDriver would fail instead of waiting.
      await waitUntil(() => run(isOnTop(selector)))
      await send('POST', `${await find(selector)}/click`, {})
    },
    resize: (width, height) => send('POST', '/window/rect', { width, height }),
    close: () => send('DELETE', '').finally(end),
  }
}
