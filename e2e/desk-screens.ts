import type { Page } from '@playwright/test'
import { checkAxe, row } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

type Site = { deskUrl: string; makeLink: () => Promise<string> }

/** Fails if axe finds a violation on a screen of the desk. Tests of other states call checkAxe themselves. */
export async function checkScreens(page: Page, site: Site) {
  await expect(row(page, visitor.name)).toBeVisible()
  await checkAxe(page, 'today')
  await row(page, visitor.name).getByRole('button', { name: 'I’m calling' }).click()
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await page.getByRole('link', { name: visitor.name }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await checkAxe(page, 'lead')
  await page.getByRole('button', { name: 'Erase this lead…' }).click()
  await checkAxe(page, 'erase')
  await page.keyboard.press('Escape')
  for (const screen of ['All leads', 'Report', 'People']) {
    await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: screen }).click()
    await expect(page.getByText(/found, newest first|By source|, this device$/)).toBeVisible()
    await checkAxe(page, screen)
  }
  await page.context().setOffline(true)
  await expect(page.getByText('No connection.').first()).toBeVisible()
  await checkAxe(page, 'offline')

  await page.context().setOffline(false)
  await page.context().clearCookies()
  await page.goto(site.deskUrl)
  await page.getByLabel('Your email address').waitFor()
  await checkAxe(page, 'signed out')
  await page.goto(`${site.deskUrl}/#enter=forged`)
  await expect(page.getByText('was already used or is older')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open the desk' })).toHaveCount(0)
  await checkAxe(page, 'a bad link')
  await page.goto(await site.makeLink())
  await expect(
    page.getByText('Someone with access to the server requested this link'),
  ).toBeVisible()
  await checkAxe(page, 'a link')
}
