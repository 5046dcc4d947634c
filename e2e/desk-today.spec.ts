import { row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

const calling = { name: 'I am calling' }

test('Today is shown before the script loads, and React hydrates it; another route shows no lead', async ({
  ask,
  signIn,
  site,
}) => {
  await ask()
  const { page } = await signIn('Sam')
  const gate = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto('about:blank')
  await page.goto(`${site.deskUrl}/#/people`, { waitUntil: 'commit' })
  await expect(page.locator('#desk')).toBeEmpty()
  await page.goto('about:blank')
  await page.goto(`${site.deskUrl}/`, { waitUntil: 'commit' })
  await expect(row(page, visitor.name)).toContainText('min left')
  const button = row(page, visitor.name).getByRole('button', calling)
  await expect(button).toBeDisabled()
  const fromServer = await row(page, visitor.name).elementHandle()
  gate.resolve()
  await expect(page).toHaveTitle(/^1 to call/)
  await expect(button).toBeEnabled()
  expect(await fromServer?.evaluate((item) => item.isConnected)).toBe(true)
  // The data must not outlive the session.
  await expect(page.locator('#start')).toHaveCount(0)
})

test.describe('with more leads than a list shows', () => {
  test.use({ settings: { RATE_LIMIT_PER_MINUTE: '0' } })

  test('Today lists 50 leads to call and links to the others', async ({ ask, signIn }) => {
    for (let count = 0; count < 52; count++) await ask({ name: `Person ${count}` })
    const { page } = await signIn('Sam')
    await expect(page.getByRole('heading', { name: '52 to call' })).toBeVisible()
    await expect(page.locator('.lead-name')).toHaveCount(50)
    await page.getByRole('link', { name: 'and 2 more' }).click()
    await expect(page.getByRole('heading', { name: 'All leads' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Person 51' })).toBeVisible()
  })
})
