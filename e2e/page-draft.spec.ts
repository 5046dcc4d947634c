import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startDesk } from '#server/desk-server.ts'
import { company, hero, hours } from '#site/content.ts'
import { checkAxe, enterDesk, mailed, signInByMail, test } from './desk.ts'
import { headline, isSaved, openSection } from './page-editor.ts'
import { siteLog } from './site.ts'
import { expect, phone } from './test.ts'

test('typing survives a lost connection, a reload, and the end of the session', async ({
  signIn,
  site,
}) => {
  const { page: sam } = await signIn('Sam')
  await openSection(sam, 'Top of the page')
  await expect(headline(sam)).toHaveValue(hero.headline)
  await sam.context().setOffline(true)
  await headline(sam).fill('Typed offline.')
  await expect(sam.getByText('Not saved yet. No connection.')).toBeVisible()
  await sam.context().setOffline(false)
  await isSaved(sam)
  await sam.reload()
  await expect(headline(sam)).toHaveValue('Typed offline.')

  // The server never gets this text before the reload and the end of the session.
  await sam.route('**/api/page/draft', (route) => route.abort())
  await headline(sam).fill('Typed before the reload.')
  await expect(sam.getByText('Not saved yet. No connection.')).toBeVisible()
  await sam.reload()
  await expect(headline(sam)).toHaveValue('Typed before the reload.')
  await sam.getByRole('link', { name: 'People' }).click()
  await sam.getByRole('button', { name: 'Sign out everywhere' }).click()
  await sam.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(sam.getByLabel('Your email address')).toBeVisible()
  await sam.unroute('**/api/page/draft')
  await enterDesk(sam, await site.makeLink(), 'Sam')
  await openSection(sam, 'Top of the page')
  await expect(headline(sam)).toHaveValue('Typed before the reload.')
  await isSaved(sam)
})

test('typing survives a full disk', async ({ signIn, site, page }) => {
  const { page: sam } = await signIn('Sam')
  await openSection(sam, 'Top of the page')
  site.runSql(`create trigger no_space before insert on page_versions
    begin select raise(abort, 'database or disk is full'); end`)
  await headline(sam).fill('Typed on a full disk.')
  const notSaved = sam.getByText('Not saved yet. The server can’t store anything')
  await expect(notSaved).toBeVisible()
  await sam.getByRole('button', { name: 'Publish…' }).click()
  await expect(sam.getByRole('dialog', { name: 'Not published' })).toContainText(
    'The server can’t store anything',
  )
  await sam.reload()
  await expect(headline(sam)).toHaveValue('Typed on a full disk.')
  await expect(notSaved).toBeVisible()
  await page.goto(site.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hero.headline)
  site.runSql('drop trigger no_space')
  await isSaved(sam)
})

mailed(
  'of two owners, the second one chooses which draft stays',
  async ({ signIn, mail, site, browser, endings }) => {
    const { page: sam } = await signIn('Sam')
    await openSection(sam, 'Top of the page')
    await expect(headline(sam)).toHaveValue(hero.headline)
    const context = await browser.newContext({ viewport: phone })
    endings.push(() => context.close())
    const dana = await context.newPage()
    await dana.goto(site.deskUrl)
    await signInByMail(dana, 'owner@example.com', 'Dana', mail)
    await openSection(dana, 'Top of the page')
    await headline(dana).fill('Dana’s headline')
    await isSaved(dana)

    await headline(sam).fill('Sam’s headline')
    const conflict = sam.getByRole('alert').filter({ hasText: 'Dana has changed the page' })
    await expect(conflict).toBeVisible()
    await checkAxe(sam, 'conflict')
    await expect(headline(sam)).toHaveValue('Sam’s headline')
    await sam.reload()
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await isSaved(sam)
    await expect(headline(sam)).toHaveValue('Sam’s headline')

    await headline(dana).fill('Dana’s second headline')
    const other = dana.getByRole('alert').filter({ hasText: 'Sam has changed the page' })
    await other.getByRole('button', { name: 'Load the newer version' }).click()
    await expect(headline(dana)).toHaveValue('Sam’s headline')
  },
)

test('the page screen explains what it cannot load, and a page that is too long', async ({
  signIn,
}) => {
  const { page: sam } = await signIn('Sam')
  await sam.route('**/api/page', (route) => route.abort())
  await sam.getByRole('link', { name: 'Page', exact: true }).click()
  await expect(sam.getByText('No connection.')).toBeVisible()
  await checkAxe(sam, 'page without a connection')
  await sam.unroute('**/api/page')
  await sam.getByRole('link', { name: 'Reviews' }).click()
  // Random text does not compress.
  const random = () => randomBytes(700).toString('base64')
  for (let count = 0; count < 4; count++) {
    await sam.getByRole('button', { name: 'Add a review' }).click()
    await expect(sam.getByLabel('Name')).toBeFocused()
    await sam.getByLabel('Name').fill('Ann')
    await sam.getByLabel('Review', { exact: true }).fill(random())
  }
  await sam.getByRole('link', { name: 'Page', exact: true }).first().click()
  await expect(sam.getByText(/The page’s text takes [\d.]+ kB/)).toBeVisible()
  await expect(sam.getByRole('button', { name: 'Publish…' })).toBeEnabled()
})

test('the page screen says that another host serves the page', async ({ endings, page }) => {
  const env = readEnv({ PORT: '0', DATA_DIR: mkdtempSync(join(tmpdir(), 'e2e-')) }, hours)
  if (!env.desk) throw new Error('There is no desk.')
  const db = await openDatabase(env)
  endings.push(() => db.close())
  const context = { ...{ env: { ...env, desk: env.desk }, db, fetch, now: Date.now, log: siteLog } }
  const desk = await startDesk(
    { ...context, hours: () => hours, company: () => company },
    { wake: () => {} },
  )
  endings.push(desk.stop)
  await enterDesk(page, await desk.makeLink(), 'Sam')
  await page.getByRole('link', { name: 'Page', exact: true }).click()
  await expect(page.getByText('This site’s page is built from a file')).toBeVisible()
  await checkAxe(page, 'a page on another host')
  await page.context().clearCookies()
})
