import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { startSampleSite } from '#fakes/sample-site.ts'
import { parseLocalTime } from '#leads/clock.ts'
import { findBrowser } from '#scripts/tools.mjs'
import { createTestLog } from '#testing/log.ts'
import playwright from '../playwright.config.ts'
import { hours } from './content.ts'
import { enterDesk } from './desk.ts'

// Writes the screenshots for the README and the docs, always with the same leads and the same time.
// To write them to a different folder: npx node e2e/screenshots.ts FOLDER

process.chdir(join(import.meta.dirname, '..'))
const folder = process.argv[2] ?? 'docs/screenshots'
mkdirSync(folder, { recursive: true })

const at = parseLocalTime('2026-11-17T14:04', hours.timeZone)
const wide = { width: 1280, height: 800 }
const phone = { width: 390, height: 800 }

const executablePath = findBrowser()
if (!executablePath) throw new Error('There is no Chromium. Run npm test, which installs it.')
const { args } = playwright.use?.launchOptions ?? {}
const browser = await chromium.launch({ executablePath, ...(args && { args }) })
const { site, mail, stop } = await startSampleSite({ at, log: createTestLog() })
try {
  for (const [name, viewport] of Object.entries({ desktop: wide, phone })) {
    const page = await open({ viewport })
    await page.goto(`http://localhost:${site.port}/`, { waitUntil: 'networkidle' })
    await save(page, `${name}.jpg`)
  }

  const alert = mail.mails.find(({ subject }) => subject.includes('Karen Lindgren'))
  const mailbox = await open({ viewport: phone })
  await mailbox.setContent(alert?.html ?? '')
  await save(mailbox, 'alert-mail.png')

  const answer = await open({ viewport: phone })
  await answer.goto(alert?.text.match(/I’m calling: (\S+)/)?.[1] ?? '')
  await save(answer, 'answer-before.png')

  const desk = await open({ viewport: phone })
  await enterDesk(desk, (await site.desk?.makeLink()) ?? '', 'Dana')
  await save(desk, 'desk-phone.png')

  const wideDesk = await open({ viewport: wide, colorScheme: 'dark' })
  await enterDesk(wideDesk, (await site.desk?.makeLink()) ?? '', 'Dana')
  await wideDesk.getByRole('link', { name: 'Beth Sorensen' }).click()
  await wideDesk.getByText('Laurel Ave').waitFor()
  await save(wideDesk, 'desk-wide.png')

  await answer.getByRole('button').click()
  await answer.getByRole('link').first().waitFor()
  await save(answer, 'answer-after.png')
} finally {
  await browser.close()
  await stop()
}

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
  await context.clock.setFixedTime(at)
  // Replace the Date header, which Node sets, because the desk reads the time from it.
  await context.route(`${site.desk?.url}/**`, async (route) => {
    const response = await route.fetch()
    const headers = { ...response.headers(), date: new Date(at).toUTCString() }
    await route.fulfill({ response, headers })
  })
  return context.newPage()
}

async function save(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  await page.mouse.move(0, 0)
  const picture = sharp(await page.screenshot({ animations: 'disabled' }))
  const compressed = name.endsWith('.jpg')
    ? picture.jpeg({ quality: 82, mozjpeg: true })
    : picture.png({ palette: true, effort: 10 })
  await compressed.toFile(join(folder, name))
  process.stdout.write(`${join(folder, name)}\n`)
}
