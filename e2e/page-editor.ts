import type { Page } from '@playwright/test'
import { expect } from './test.ts'

export const openSection = async (page: Page, title: string) => {
  await page.getByRole('link', { name: 'Page', exact: true }).first().click()
  await page.getByRole('link', { name: title }).click()
}

export const headline = (page: Page) => page.getByLabel('Headline')

export const preview = (page: Page) =>
  page.frameLocator('iframe[title="The page as visitors will see it"]:not([data-loading])')

export const isSaved = (page: Page) =>
  expect(page.getByText('Saved, not published yet.')).toBeVisible()

export const publish = async (page: Page) => {
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published. Visitors see it now.')).toBeVisible()
}
