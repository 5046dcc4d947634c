import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect as expectSoon, type Page, test } from '@playwright/test'
import { openDatabase } from '#server/database.ts'
import { buildCopy, copySources } from '#testing/copy-sources.ts'
import { findForm, visitor } from './form.ts'
import { serveSite } from './site.ts'

// A deploy renames the page's files while 20 visitors have the page open, each at a different step.

// Raise the timeouts, because opening 20 pages is slow on a small machine.
const expect = expectSoon.configure({ timeout: 60_000 })
test.describe.configure({ mode: 'default', timeout: 600_000 })

type Step = (page: Page, name: string) => Promise<unknown>

const fillIn: Step[] = [
  (page, name) => findForm(page).type({ name }),
  ...(['email', 'phone', 'address', 'serviceType'] as const).map(
    (name): Step =>
      (page) =>
        findForm(page).type({ [name]: visitor[name] }),
  ),
]
const touch: Step = (page) => page.mouse.move(9, 9, { steps: 2 })
const press: Step = (page) => findForm(page).button.click()
const enterForm: Step = (page) => findForm(page).name.focus()
const goOffline: Step = (page) => page.context().setOffline(true)

// The steps before the deploy. Each path runs twice, with and without the page's script files.
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
  buildCopy(before)
  appendFileSync(
    join(after, 'site/estimate-form/main.tsx'),
    "\ncontainer?.setAttribute('data-new', '')\n",
  )
  buildCopy(after)
})
test.afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

test('stores each lead once when a deploy removes the files of 20 open pages', async ({
  browser,
}) => {
  const [files, later] = [before, after].map((folder) => readdirSync(join(folder, 'dist/assets')))
  expect(
    files?.filter((name) => name.endsWith('.js') && !later?.includes(name)).length,
  ).toBeGreaterThan(2)
  const dataDir = mkdtempSync(join(tmpdir(), 'deploy-'))
  folders.push(dataDir)
  const start = (folder: string, port: number) =>
    serveSite({ DATA_DIR: dataDir, PORT: String(port) }, { folder: join(folder, 'dist') })
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

type Point = { path: Step[]; hasFiles: boolean }

const nameVisitor = ({ path, hasFiles }: Point) =>
  `${hasFiles ? 'With' : 'Without'} ${'ABCDEFGHIJ'[paths.indexOf(path)]}`

/** Opens the page and takes the steps before the deploy. The returned function takes the remaining steps. */
async function beginVisit(browser: Browser, url: string, point: Point) {
  // Turn off animations, because moving testimonials on 20 pages would slow down the machine.
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  const { promise: deployed, resolve: finishDeploy } = Promise.withResolvers<void>()
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
    // The first focus in the form starts its hydration. A focus after hydration loads the code that sends the lead.
    if (step === fillIn[0]) await findForm(page).expectHydrated()
    if (step === fillIn[1]) await expect.poll(() => page.evaluate(canSend)).toBe(true)
  }
  const missing = fillIn.filter((step) => !point.path.includes(step))
  return async () => {
    finishDeploy()
    await context.setOffline(false)
    // React sends the lead automatically when the connection is back. Without React, the visitor submits again.
    if (!point.path.includes(goOffline) || !point.hasFiles)
      for (const step of [...missing, press]) await step(page, name)
    await expect(findForm(page).received).toBeVisible()
    await context.close()
  }
}

const canSend = `performance.getEntriesByType('resource').some(({ name }) => name.includes('send-lead'))`
