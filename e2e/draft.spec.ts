import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import { answerWith, fields, fillIn, readValues, submitButton, toast, visitor } from './form.ts'
import { expect, test } from './test.ts'

const draft = (page: Page) => page.evaluate(() => localStorage.getItem('estimate-draft'))

test.describe('what was typed', () => {
  test('survives a reload and a closed tab for a day, on this device only', async ({
    page,
    context,
  }) => {
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await page.goto('/')
    await fillIn(page)
    await page.reload()
    await expect(fields(page).address).toHaveValue(visitor.address)
    expect(await readValues(page)).toEqual(visitor)

    // What is typed next, before the form's code is there, is added to it.
    await page.route('**/assets/main-*.js', () => {})
    await page.goto('/?again')
    await fields(page).name.press('End')
    await page.keyboard.type(' X')
    expect(await readValues(page)).toEqual({ ...visitor, name: 'Jane Doe X' })
    expect(await draft(page)).toContain(visitor.address)

    const next = await context.newPage()
    await page.close()
    await next.goto('/')
    await expect(fields(next).email).toHaveValue('jane@example.com')
    expect(asked.filter((url) => url.includes('functions'))).toEqual([])

    await next.clock.setFixedTime(Date.now() + 25 * 60 * 60_000)
    await next.goto('/?tomorrow')
    await expect.poll(() => draft(next)).toBeNull()
    await expect(fields(next).name).toHaveValue('')
  })

  test('is gone after a success, and stays gone', async ({ page }) => {
    await page.goto('/')
    await answerWith(page, { status: 200 })
    await fillIn(page)
    expect(await draft(page)).toContain('jane@example.com')
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(await draft(page)).toBeNull()
    await page.reload()
    await fields(page).name.focus()
    await expect(page.locator('#estimate form')).toHaveAttribute('novalidate')
    expect(Object.values(await readValues(page)).join('')).toBe('')
  })
})
