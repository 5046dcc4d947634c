import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect as expectSoon, type Page, test } from '@playwright/test'
import { openDatabase } from '#server/database.ts'
import { form as words } from '#site/content.ts'
import { copySources } from '#testing/copy-sources.ts'
import { findForm, visitor } from './form.ts'
import { serveSite } from './site.ts'

// A deploy renames the files of the page while 20 visitors have it open, each at another point.

// Twenty pages at once are slow on a small machine.
const expect = expectSoon.configure({ timeout: 60_000 })
test.describe.configure({ mode: 'default', timeout: 600_000 })

type Step = (page: Page, name: string) => Promise<unknown>

const fillIn: Step[] = [
  (page, name) => findForm(page).fillIn({ name }),
  ...(['email', 'phone', 'address', 'serviceType'] as const).map(
    (name): Step =>
      (page) =>
        findForm(page).fillIn({ [name]: visitor[name] }),
  ),
]
const touch: Step = (page) => page.mouse.move(9, 9, { steps: 2 })
const press: Step = (page) => findForm(page).button.click()
const enterForm: Step = (page) => findForm(page).name.focus()
const goOffline: Step = (page) => page.context().setOffline(true)

// How far somebody has come when the deploy does, once with the files so far and once with none.
const paths: Step[][] = [
  [],
  [touch],
  [press],
  [enterForm],
  ...fillIn.map((_, last) => [enterForm, ...fillIn.slice(0, last + 1)]),
  [enterForm, ...fillIn, goOffline, press],
]

const folders: string[] = []
let before: string
let after: string
test.beforeAll(() => {
  before = copySources()
  after = copySources()
  folders.push(before, after)
  const content = readFileSync(join(before, 'site/content.ts'), 'utf8')
  // The sample's files would not be kept.
  const own = content.replace('  sample: true,\n', '')
  writeFileSync(join(before, 'site/content.ts'), own)
  build(before)
  const changed = own.replace("optional: '", "optional: 'if you know ")
  writeFileSync(join(after, 'site/content.ts'), changed)
  // As deploy/upgrade does.
  cpSync(join(before, 'dist/assets'), join(after, 'dist/assets'), { recursive: true })
  build(after)
})
test.afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function build(folder: string) {
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, env })
}

for (const earlierFiles of ['stay', 'are gone']) {
  test(`under 20 open pages, whose files ${earlierFiles}: 20 leads, once each`, async ({
    browser,
  }) => {
    if (earlierFiles === 'are gone') {
      const assets = join(after, 'dist/assets')
      const earlier = Object.keys(JSON.parse(readFileSync(join(assets, 'earlier.json'), 'utf8')))
      expect(earlier.length).toBeGreaterThan(2)
      for (const name of earlier) rmSync(join(assets, name))
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'deploy-'))
    folders.push(dataDir)
    // Twenty visitors have twenty addresses; at one, the server would refuse the 51st connection.
    const settings = { DATA_DIR: dataDir, TRUSTED_PROXIES: '1' }
    const start = (folder: string, port: number) =>
      serveSite({ ...settings, PORT: String(port) }, join(folder, 'dist'))
    const first = await start(before, 0)
    const points = paths.flatMap((path) => [true, false].map((hasFiles) => ({ path, hasFiles })))
    const visits = []
    for (const point of points)
      visits.push(await beginVisit(browser, `http://localhost:${first.port}/`, point))
    await first.stop()
    const second = await start(after, first.port)
    await Promise.all(visits.map((finish) => finish()))
    await second.stop()

    const db = await openDatabase({ dataDir })
    const leads = await db.kysely.selectFrom('leads').select('name').execute()
    await db.close()
    expect(leads.map(({ name }) => name).sort()).toEqual(points.map(nameVisitor).sort())
  })
}

type Point = { path: Step[]; hasFiles: boolean }

const numberVisitor = ({ path, hasFiles }: Point) => 2 * paths.indexOf(path) + Number(hasFiles)
const nameVisitor = ({ path, hasFiles }: Point) =>
  `${hasFiles ? 'With' : 'Without'} ${'ABCDEFGHIJ'[paths.indexOf(path)]}`

/** Opens the page and goes as far as this point. What it returns does the rest. */
async function beginVisit(browser: Browser, url: string, point: Point) {
  // Nothing moves: twenty drifting pages are work enough for a machine of their own.
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'X-Forwarded-For': `192.0.2.${numberVisitor(point)}` },
  })
  const page = await context.newPage()
  const { promise: deployed, resolve: noteDeploy } = Promise.withResolvers<void>()
  if (!point.hasFiles)
    await page.route('**/assets/*.js', async (route) => {
      await deployed
      await route.continue()
    })
  expect((await page.goto(url))?.status()).toBe(200)
  const name = nameVisitor(point)
  for (const step of point.path) {
    await step(page, name)
    if (!point.hasFiles) continue
    // The first field has woken the form; a later one has it fetch what sends the lead.
    if (step === fillIn[0]) await findForm(page).expectLive()
    if (step === fillIn[1]) await expect.poll(() => page.evaluate(canSend)).toBe(true)
  }
  const missing = fillIn.filter((step) => !point.path.includes(step))
  return async () => {
    noteDeploy()
    if (point.path.includes(goOffline)) await context.setOffline(false)
    else {
      // Who has pressed too early is told so first.
      await expect(page.locator('#estimate')).not.toHaveAttribute('aria-busy')
      for (const step of [...missing, press]) await step(page, name)
    }
    await expect(page.getByText(words.toasts.received).first()).toBeVisible()
    await context.close()
  }
}

const canSend = `performance.getEntriesByType('resource').some(({ name }) => name.includes('send-lead'))`
