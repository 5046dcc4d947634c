import { mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, devices } from '@playwright/test'
import lighthouse from 'lighthouse'
import { postLead } from '#testing/app.ts'
import { findFreePort, type startServer, waitUntil } from '#testing/processes.ts'
import { makeStranger } from '#testing/saved-leads.ts'
import playwrightConfig from '../playwright.config.ts'
import { build, checkOut, root, startQuietServer } from './commit.ts'
import { formatMs, median, type Options, type Report } from './report.ts'
import { makeLead } from './visitors.ts'

const blankFile = join(root, 'dist/blank.html')
const runs = 5
const hydrationRuns = 9
// Simulates a mid-range phone, with the same factor as Lighthouse.
const cpuSlowdown = 4

// The smallest page that passes Lighthouse's accessibility and SEO audits.
const blankPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Blank</title><p>.</p></html>'

/** Measures the built page, a blank page from the same server, and the desk in turn. */
export async function benchPage({ against }: Options): Promise<Report[]> {
  build(root)
  using cleanup = new DisposableStack()
  writeFileSync(blankFile, blankPage)
  cleanup.defer(() => rmSync(blankFile))
  const { path } = cleanup.use(mkdtempDisposableSync(join(tmpdir(), 'bench-')))
  await using servers = new AsyncDisposableStack()
  const serve = (name: string, cwd: string) =>
    servers.use(startQuietServer({ DATA_DIR: join(path, name) }, cwd))
  const server = serve('page', root)
  const url = await server.findUrl()
  const urlBefore = against && (await serve('before', checkOut(against, cleanup)).findUrl())
  const launch = playwrightConfig.use?.launchOptions
  const port = await findFreePort()
  const args = [...(launch?.args ?? []), `--remote-debugging-port=${port}`]
  await using browser = await chromium.launch({ ...launch, args })
  const desk = await openDesk(browser, url, server)
  const views: Record<Subject, View[]> = { page: [], before: [], blank: [], desk: [] }
  for (let run = 0; run < runs; run++) {
    views.blank.push(await runLighthouse(`${url}/blank.html`, port))
    views.page.push(await runLighthouse(`${url}/`, port))
    if (urlBefore) views.before.push(await runLighthouse(`${urlBefore}/`, port))
    views.desk.push(await runLighthouse(desk.url, port, desk.cookie))
  }
  // Start a new browser, because Lighthouse runs may have slowed this one down.
  await using fresh = await chromium.launch(launch)
  const hydrationTimes: number[] = []
  for (let run = 0; run < hydrationRuns; run++)
    hydrationTimes.push(await measureHydration(fresh, url))
  return [
    compareViews(views),
    {
      title: `From the first tap to the hydrated form, CPU ${cpuSlowdown} times slower`,
      head: ['median', 'each run'],
      rows: [[formatMs(median(hydrationTimes)), hydrationTimes.map(Math.round).join(' ')]],
    },
  ]
}

/** Signs in to a desk with 60 new leads, each from a different homeowner. */
async function openDesk(browser: Browser, url: string, server: ReturnType<typeof startServer>) {
  for (let lead = 0; lead < 60; lead++)
    await postLead(url, { ...makeLead(`Visitor ${lead}`), ...makeStranger() })
  const findLink = () => server.output.stdout.match(/http:\S+#enter=[\w-]+/)?.[0]
  await waitUntil(() => findLink() !== undefined)
  const context = await browser.newContext(devices['Pixel 7'])
  const page = await context.newPage()
  await page.goto(findLink() ?? '')
  await page.getByLabel('Your name').fill('Sam')
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: '60 to call' }).waitFor()
  const [session] = await context.cookies()
  const deskUrl = new URL('/', page.url()).href
  await context.close()
  return { url: deskUrl, cookie: `${session?.name}=${session?.value}` }
}

type Subject = 'page' | 'before' | 'blank' | 'desk'

/** Lighthouse's metrics by audit ID and its scores by category. */
type View = Record<string, number>

const metrics = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'speed-index': 'speed index',
  'total-blocking-time': 'blocking time',
  'max-potential-fid': 'longest task',
  'cumulative-layout-shift': 'layout shift',
}
const categories = ['performance', 'accessibility', 'best-practices', 'seo', 'agentic-browsing']

async function runLighthouse(
  url: string,
  port: number,
  cookie?: string,
  triesLeft = 3,
): Promise<View> {
  const extraHeaders = cookie ? { Cookie: cookie } : null
  const options = { port, logLevel: 'error', output: 'json', extraHeaders } as const
  const result = await lighthouse(url, options)
  if (!result) throw new Error(`Lighthouse returned no result for ${url}`)
  const { audits, categories: scores, runtimeError } = result.lhr
  // Sometimes Chromium treats the tab as hidden and paints nothing.
  if (runtimeError && triesLeft > 1) return runLighthouse(url, port, cookie, triesLeft - 1)
  if (runtimeError) throw new Error(runtimeError.message)
  return Object.fromEntries([
    ...Object.keys(metrics).map((id) => [id, audits[id]?.numericValue ?? Number.NaN]),
    ...categories.map((id) => [id, (scores[id]?.score ?? 0) * 100]),
  ])
}

function compareViews(views: Record<Subject, View[]>): Report {
  const hasBefore = views.before.length > 0
  const subjects: Subject[] = ['page', ...(hasBefore ? (['before'] as const) : []), 'blank', 'desk']
  const names = Object.fromEntries(categories.map((name) => [name, name]))
  const rows = Object.entries({ ...metrics, ...names }).map(([id, name]) => {
    const list = (subject: Subject) => views[subject].map((view) => view[id] ?? 0)
    const find = (subject: Subject) => median(list(subject))
    if (!(id in metrics) || id === 'cumulative-layout-shift') {
      const format = (value: number) => Number(value.toFixed(3))
      return [name, ...subjects.map((subject) => format(find(subject))), '', '']
    }
    const ratio = find('page') / find('blank')
    return [
      name,
      ...subjects.map((subject) => formatMs(find(subject))),
      Number.isFinite(ratio) ? ratio.toFixed(2) : '',
      list('page').map(Math.round).join(' '),
    ]
  })
  return {
    title: `Lighthouse, mobile, simulated 4G, medians of ${runs} alternating runs`,
    head: ['', ...subjects, 'page/blank', 'each page'],
    rows,
  }
}

/** Returns the time from the first tap on the form until React has hydrated it. */
async function measureHydration(browser: Browser, url: string): Promise<number> {
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
    if (!form) throw new Error('The page has no form.')
    addEventListener('pointerdown', () => performance.mark('tap'), { capture: true })
    // React turns off native validation when it hydrates the form.
    new MutationObserver(() => performance.measure('hydration', 'tap')).observe(form, {
      attributeFilter: ['novalidate'],
    })
  })
  await page.locator('#name').tap()
  await page.waitForFunction(() => performance.getEntriesByName('hydration').length > 0)
  const hydrationMs = await page.evaluate(
    () => performance.getEntriesByName('hydration')[0]?.duration ?? Number.NaN,
  )
  await context.close()
  return hydrationMs
}
