import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, devices } from '@playwright/test'
import lighthouse from 'lighthouse'
import { findFreePort, startServer } from '#testing/processes.ts'
import playwrightConfig from '../playwright.config.ts'
import { formatMs, median, type Table } from './report.ts'

const root = join(import.meta.dirname, '..')
const blankFile = join(root, 'dist/blank.html')
const runs = 5
const contactRuns = 9
// A phone of the middle class beside the machine that measures; Lighthouse assumes the same.
const cpuSlowdown = 4

// Only what Lighthouse's accessibility and SEO audits ask of any page.
const blankPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Blank</title><p>.</p></html>'

/** The built page against a blank one from the same server, in turns. */
export async function benchPage(): Promise<Table[]> {
  execFileSync(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(blankFile, blankPage)
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-'))
  const server = startServer({ DATA_DIR: dataDir }, { stderr: openSync('/dev/null', 'w') })
  const port = await findFreePort()
  const launch = playwrightConfig.use?.launchOptions
  const browser = await chromium.launch({
    ...launch,
    args: [...(launch?.args ?? []), `--remote-debugging-port=${port}`],
  })
  try {
    const url = await server.findUrl()
    const pages: Run[] = []
    const blanks: Run[] = []
    for (let run = 0; run < runs; run++) {
      blanks.push(await runLighthouse(`${url}/blank.html`, port))
      pages.push(await runLighthouse(`${url}/`, port))
    }
    // Another browser: this one has been through ten runs of Lighthouse.
    const fresh = await chromium.launch(launch)
    const tasks: Tasks[] = []
    for (let run = 0; run < contactRuns; run++)
      tasks.push({
        page: await measureTasks(fresh, `${url}/`),
        blank: await measureTasks(fresh, `${url}/blank.html`),
        toLiveMs: await measureContact(fresh, url),
      })
    await fresh.close()
    return [compareTimes(pages, blanks), listTasks(tasks)]
  } finally {
    await browser.close()
    await server.kill('SIGTERM')
    for (const made of [dataDir, blankFile]) rmSync(made, { recursive: true, force: true })
  }
}

type Run = {
  times: Record<string, number>
  scores: Record<string, number>
  /** How much later than the first paint the largest one really was, on this machine. */
  largestAfterMs: number
}

const times = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'speed-index': 'speed index',
  'total-blocking-time': 'blocking time',
  'cumulative-layout-shift': 'layout shift',
}

const scored = ['performance', 'accessibility', 'best-practices', 'seo']

export async function runLighthouse(
  url: string,
  port: number,
  { cookie = '', triesLeft = 3 } = {},
): Promise<Run> {
  const extraHeaders = cookie ? { Cookie: cookie } : null
  const options = { port, logLevel: 'error', output: 'json', extraHeaders } as const
  const result = await lighthouse(url, options)
  if (!result) throw new Error(`Lighthouse said nothing about ${url}`)
  const { audits, categories, runtimeError } = result.lhr
  // Now and then the browser paints nothing in a tab that it takes for hidden.
  if (runtimeError && triesLeft > 1)
    return runLighthouse(url, port, { cookie, triesLeft: triesLeft - 1 })
  if (runtimeError) throw new Error(runtimeError.message)
  const details = audits.metrics?.details as { items: Record<string, number>[] } | undefined
  const observed = (name: string) => details?.items[0]?.[`observed${name}`] ?? Number.NaN
  return {
    largestAfterMs: observed('LargestContentfulPaint') - observed('FirstContentfulPaint'),
    times: Object.fromEntries(
      Object.keys(times).map((id) => [id, audits[id]?.numericValue ?? Number.NaN]),
    ),
    scores: Object.fromEntries(scored.map((id) => [id, (categories[id]?.score ?? 0) * 100])),
  }
}

function compareTimes(pages: Run[], blanks: Run[]): Table {
  const rows = Object.entries(times).map(([id, name]) => {
    const each = pages.map((run) => run.times[id] ?? 0)
    const ours = median(each)
    const theirs = median(blanks.map((run) => run.times[id] ?? 0))
    if (id === 'cumulative-layout-shift') return [name, ours.toFixed(3), theirs.toFixed(3)]
    const ratio = theirs > 0 ? (ours / theirs).toFixed(2) : ''
    return [name, formatMs(ours), formatMs(theirs), ratio, each.map(Math.round).join(' ')]
  })
  const scores = scored.map((id) => [
    id,
    ...[pages, blanks].map((all) => String(median(all.map((run) => run.scores[id] ?? 0)))),
  ])
  return {
    title: `Lighthouse, mobile, simulated 4G, medians of ${runs} runs in turns`,
    head: ['', 'page', 'blank', 'ratio', 'each run'],
    rows: [...rows, ...scores],
  }
}

type Work = { longestMs: number; blockingMs: number }
type Tasks = { page: Work; blank: Work; toLiveMs: number }

function listTasks(tasks: Tasks[]): Table {
  const row = (name: string, read: (run: Tasks) => number) => {
    const values = tasks.map(read)
    return [name, formatMs(median(values)), values.map(Math.round).join(' ')]
  }
  return {
    title: `On a CPU ${cpuSlowdown} times slower, medians of ${contactRuns} runs in turns`,
    head: ['', 'median', 'each run'],
    rows: [
      row('longest task before contact', ({ page }) => page.longestMs),
      row('longest task of the blank page', ({ blank }) => blank.longestMs),
      row('blocking time', ({ page }) => page.blockingMs),
      row('blocking time of the blank page', ({ blank }) => blank.blockingMs),
      row('first contact to a live form', ({ toLiveMs }) => toLiveMs),
    ],
  }
}

/**
 * The tasks of a page that nobody touches, in their own CPU time, slowed by calculation: by the clock,
 * and so by Lighthouse, what other programs took from it counts as the page's.
 */
async function measureTasks(browser: Browser, url: string): Promise<Work> {
  const context = await browser.newContext(devices['Pixel 7'])
  const page = await context.newPage()
  // The first page of a process pays for the start of that process.
  await page.goto('about:blank')
  await browser.startTracing(page, { categories: ['toplevel', 'loading'] })
  await page.goto(url)
  await page.waitForTimeout(idleAfterMs)
  const trace = JSON.parse((await browser.stopTracing()).toString())
  await context.close()
  return addUp(trace.traceEvents)
}

// What is fetched ahead comes a second after the load.
const idleAfterMs = 2_000

/** In microseconds; `tdur` is CPU time. */
type TraceEvent = {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

// As in Lighthouse, what a task takes beyond this blocks, from the first paint on.
const blocksAfterMs = 50

/** Of any page's main thread: the one that was there before does nothing any more. */
function addUp(events: TraceEvent[]): Work {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = events
    .filter(
      ({ name, ph, pid, tid }) =>
        name === 'ThreadControllerImpl::RunTask' && ph === 'X' && mains.has(`${pid} ${tid}`),
    )
    .map(({ ts, dur = 0, tdur = 0 }) => ({ end: ts + dur, ms: (tdur / 1000) * cpuSlowdown }))
  const painted = events.filter(({ name }) => name === 'firstContentfulPaint').at(-1)
  if (tasks.length === 0 || !painted) throw new Error('The trace has no task or no paint of a page')
  return {
    longestMs: Math.max(...tasks.map(({ ms }) => ms)),
    blockingMs: tasks
      .filter(({ end }) => end > painted.ts)
      .reduce((sum, { ms }) => sum + Math.max(0, ms - blocksAfterMs), 0),
  }
}

/** From the first touch of the form to the form that React has taken over, on a slowed phone. */
async function measureContact(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext(devices['Pixel 7'])
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  const fetched = page.waitForEvent('requestfinished', (request) =>
    /\/main-.*\.js$/.test(request.url()),
  )
  await page.goto(url)
  await fetched
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => {
    const form = document.querySelector('#estimate form')
    if (!form) throw new Error('The page has no form')
    addEventListener('pointerdown', () => performance.mark('contact'), { capture: true })
    // The form's code switches the browser's own checks off when it takes over.
    new MutationObserver(() => performance.measure('to live', 'contact')).observe(form, {
      attributeFilter: ['novalidate'],
    })
  })
  await page.locator('#name').tap()
  await page.waitForFunction(() => performance.getEntriesByName('to live').length > 0)
  const toLiveMs = await page.evaluate(
    () => performance.getEntriesByName('to live')[0]?.duration ?? Number.NaN,
  )
  await context.close()
  return toLiveMs
}
