import { checkAxe, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

for (const width of [390, 1280])
  test(`what came of a request is recorded, undone, filtered, and reported at ${width} px`, async ({
    sendLead,
    signIn,
  }) => {
    await sendLead()
    const page = await signIn('Sam Hill', { viewport: { width, height: 800 } })
    await page.getByRole('link', { name: visitor.name }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await expect(page.getByRole('button', { name: 'Done', exact: true })).toBeVisible()
    await expect(result).toHaveCount(0)
    await page.getByRole('button', { name: 'Done', exact: true }).click()

    await result.getByRole('button', { name: 'Won' }).click()
    const amount = result.getByLabel('Amount (optional)')
    const save = result.getByRole('button', { name: 'Save' })
    for (const bad of ['twelve', '-5', '1000000000']) {
      await amount.fill(bad)
      await save.click()
      expect(await amount.evaluate((input: HTMLInputElement) => input.validity.valid)).toBe(false)
    }
    await checkAxe(page, 'an amount')
    await amount.fill('$12,500')
    await save.click()
    await expect(page.locator('.lead-head')).toContainText('Won, $12,500')
    await expect(page.locator('.notice')).toContainText('marked as won.')
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await expect(page.locator('.lead-head')).toContainText('Done')

    await result.getByRole('button', { name: 'Appointment' }).click()
    await result.getByLabel('Date').fill('2000-01-01')
    await save.click()
    await expect(page.locator('.lead-head')).toContainText('Done')
    const tomorrow = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)
    await result.getByLabel('Date').fill(tomorrow)
    await save.click()
    await expect(page.locator('.lead-head')).toContainText('Appointment for')
    await result.getByRole('button', { name: 'Lost' }).click()
    await checkAxe(page, 'why it was lost')
    await result.getByRole('button', { name: 'Hired someone else' }).click()
    await expect(page.locator('.events')).toContainText('marked this as lost, hired someone else')

    await page.getByRole('link', { name: 'All leads' }).first().click()
    const found = page.getByText('1 found')
    await expect(found).toBeVisible()
    if (width < 1024) await page.getByText('Filters').click()
    await page.getByLabel('Status').selectOption('Won')
    await expect(page.getByText('No matching leads.')).toBeVisible()
    await page.getByLabel('Status').selectOption('Lost')
    await expect(found).toBeVisible()
    const line = page.locator('.line')
    await expect(line.locator('.line-status')).toHaveText('Lost')
    const isWide = width >= 1024
    const reason = line.locator('.line-result')
    await expect(reason).toBeVisible({ visible: isWide })
    await expect(reason).toHaveText('hired someone else')
    // A lead takes one line of text on a wide screen, and two on a phone.
    const { height = 0 } = (await line.boundingBox()) ?? {}
    expect(height).toBeGreaterThan(isWide ? 40 : 56)
    expect(height).toBeLessThan(isWide ? 56 : 80)
    await expect(page.locator('.lead-pane')).toBeHidden()
    await checkAxe(page, 'lines')
    if (isWide) {
      // The search and the filters share a row.
      const fields = page.locator('search > label, .filter-fields label')
      const bottoms = await fields.evaluateAll((all) =>
        all.map((field) => field.getBoundingClientRect().bottom),
      )
      expect(new Set(bottoms).size).toBe(1)
      // The narrowest window with one line for each lead shows the whole name.
      await page.setViewportSize({ width: 1024, height: 800 })
      const cutOff = (name: HTMLElement) => name.scrollWidth - name.clientWidth
      expect(await line.locator('.lead-name').evaluate(cutOff)).toBe(0)
    }

    await page.setViewportSize({ width: 320, height: 800 })
    const setTextSize = (size: string) =>
      page.evaluate((size) => {
        document.documentElement.style.fontSize = size
      }, size)
    await setTextSize('200%')
    // At 200% text size, the name still has enough space.
    expect((await line.getByRole('link').boundingBox())?.width).toBeGreaterThan(60)
    await setTextSize('100%')
    await page.setViewportSize({ width, height: 800 })

    await page.getByRole('link', { name: 'Report' }).click()
    const sources = page.getByRole('table').filter({ hasText: 'Reached' })
    await expect(sources.getByRole('row').nth(1).getByRole('cell')).toHaveText([
      '1',
      '1',
      '0',
      '$0',
    ])
    await expect(page.getByRole('definition').first()).toHaveText('1 of 1')
    const [left, right] = await page
      .locator('.report > section')
      .evaluateAll((sections) => sections.map((section) => section.clientWidth))
    expect(right).toBe(left)
    for (const fontSize of ['100%', '200%']) {
      await setTextSize(fontSize)
      for (const narrow of [width, 320]) {
        await page.setViewportSize({ width: narrow, height: 800 })
        const shown = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(shown, `${fontSize} at ${narrow} px`).toBeLessThanOrEqual(narrow)
      }
    }
  })
