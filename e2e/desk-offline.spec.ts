import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

test('without a connection, a lead shows its card, and a reload shows the desk', async ({
  signIn,
  sendLead,
}) => {
  await sendLead()
  const page = await signIn('Sam')
  await expect(row(page, visitor.name)).toBeVisible()
  const readCached = () =>
    page.evaluate(async () => {
      const cache = await caches.open('desk')
      const responses = await Promise.all((await cache.keys()).map((key) => cache.match(key)))
      return Promise.all(responses.map(async (found) => [found?.url, await found?.text()]))
    })
  await expect.poll(async () => (await readCached()).length).toBeGreaterThan(1)
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.reload()
  await expect(row(page, visitor.name)).toBeVisible()

  await page.context().setOffline(true)
  await page.getByRole('link', { name: visitor.name }).click()
  await expect(page.getByRole('heading', { name: visitor.name })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Call/ })).toBeVisible()
  await expect(page.locator('.facts')).toHaveText(`ServiceRoof RepairEmail${visitor.email}`)
  await expect(page.getByText(/^The history couldn’t be loaded/)).toBeVisible()

  const rail = page.getByRole('navigation', { name: 'Desk' })
  const before = await rail.textContent()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'No connection.' })).toBeVisible()
  expect(before).toContain('Page')
  // The browser does not store the number of leads to call.
  await expect(rail).toHaveText(String(before).replace('Today1', 'Today'))
  await expect(page.getByText(visitor.name)).toHaveCount(0)
  await checkAxe(page, 'reloaded without a connection')

  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { name: visitor.name })).toBeVisible()
  // The cache has only the page without leads and the page's files.
  const cached = await readCached()
  expect(
    cached.map(([url = '']) => new URL(url).pathname.replace(/-[\w-]+\./, '.')).sort(),
  ).toEqual(['/', '/assets/archivo.woff2', '/assets/index.js'])
  expect(JSON.stringify(cached)).not.toContain(visitor.name)
})

test('without a connection, every link to a lead shows the card that is already loaded', async ({
  signIn,
  sendLead,
}) => {
  const names = ['Ann Lind', 'Bob Lind', 'Cat Lind'] as const
  const [first, second, closed] = names
  for (const name of names) await sendLead({ name, phone: '(555) 765-4321' })
  const page = await signIn('Sam')
  const card = row(page, first).first()
  const today = page.getByRole('link', { name: /^Today/ }).first()
  const request = (name: string) =>
    page.locator('.requests a').filter({ hasText: name, visible: true })
  const expectOpen = async (name: string) => {
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.locator('.controls')).toBeVisible()
  }
  await expect(card).toContainText('3 requests')
  await request(closed).click()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await page.getByRole('group').getByRole('button', { name: closed }).click()
  await expect(page.locator('.lead-head')).toContainText('Done')
  await today.click()
  await expect(card).toContainText('2 requests')
  await card.getByRole('link', { name: first }).first().click()
  await expect(page.getByRole('heading', { name: '2 other requests' })).toBeVisible()

  await page.context().setOffline(true)
  // The closed request is loaded, although Today does not list it.
  await request(closed).click()
  await expectOpen(closed)
  await today.click()
  await request(second).click()
  await expectOpen(second)
  await page.context().setOffline(false)
  await page.reload()
  await page.getByRole('link', { name: 'All leads' }).click()
  await expect(page.getByText('3 found')).toBeVisible()
  await page.context().setOffline(true)
  await page.locator('.line').getByRole('link', { name: closed }).click()
  await expectOpen(closed)
})

test('without a connection, a lead is to call again when its time comes', async ({
  signIn,
  sendLead,
}) => {
  await sendLead()
  const page = await signIn('Sam')
  await page.clock.install()
  await page.reload()
  await row(page, visitor.name).getByRole('button', { name: 'I’m calling' }).click()
  await row(page, visitor.name).getByRole('button', { name: 'No answer' }).click()
  await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  await page.context().setOffline(true)
  await page.clock.fastForward('31:00')
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await expect(page).toHaveTitle(/^1 to call/)
})

test('without a connection, nobody seems to have signed out', async ({ signIn }) => {
  const page = await signIn('Sam')
  await page.getByRole('link', { name: 'People' }).click()
  const signOut = row(page, 'this device').getByRole('button', { name: 'Sign out' })
  await signOut.waitFor()
  await page.context().setOffline(true)
  await signOut.click()
  await expect(page.locator('.notice')).toHaveText('No connection.')
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeVisible()
})
