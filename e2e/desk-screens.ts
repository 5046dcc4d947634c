import type { Page } from '@playwright/test'
import { checkAxe, row } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

type Site = { deskUrl: string; makeLink: () => Promise<string> }

/** Checks every screen of the desk, by default with axe. Tests of other states call checkAxe themselves. */
export async function checkScreens(page: Page, site: Site, check = checkAxe) {
  await expect(row(page, visitor.name)).toBeVisible()
  await check(page, 'today')
  await row(page, visitor.name).getByRole('button', { name: 'I’m calling' }).click()
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await page.getByRole('link', { name: visitor.name }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await check(page, 'lead')
  await page.getByRole('button', { name: 'Erase this lead…' }).click()
  await check(page, 'erase')
  await page.keyboard.press('Escape')
  for (const screen of ['All leads', 'Report', 'People']) {
    await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: screen }).click()
    // The heading appears when the report's script has loaded.
    await expect(page.getByRole('heading', { level: 1, name: screen })).toBeVisible()
    await expect(page.getByText(/found, newest first|by source|, this device$/)).toBeVisible()
    await check(page, screen)
  }
  await page
    .getByRole('link', { name: /^Today/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Add a lead' }).click()
  await page.getByLabel('Phone').waitFor()
  await check(page, 'a new lead')
  await page.getByRole('link', { name: 'Page', exact: true }).first().click()
  for (const section of ['Hours', 'Reviews']) {
    await page.getByRole('link', { name: section }).click()
    await page.getByRole('heading', { name: section, level: 1 }).waitFor()
    await check(page, section)
    await page.goBack()
  }
  await page.getByText('Older versions').click()
  await page.getByText('The original page').waitFor()
  await check(page, 'the list of sections')
  await page.context().setOffline(true)
  await expect(page.getByText('No connection.').first()).toBeVisible()
  await check(page, 'offline')

  await page.context().setOffline(false)
  await page.context().clearCookies()
  await page.goto(site.deskUrl)
  await page.getByLabel('Your email address').waitFor()
  await check(page, 'signed out')
  await page.goto(`${site.deskUrl}/#enter=forged`)
  await expect(page.getByText('was already used or has expired')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open the desk' })).toHaveCount(0)
  await check(page, 'a bad link')
  await page.goto(await site.makeLink())
  await expect(
    page.getByText('Someone with access to the server requested this link'),
  ).toBeVisible()
  await check(page, 'a link')
}
