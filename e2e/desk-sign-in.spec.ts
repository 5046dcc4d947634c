import type { Page } from '@playwright/test'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { checkAxe, enterDesk, row, mailed as test } from './desk.ts'
import { visitor } from './form.ts'
import { expect, phone } from './test.ts'

const email = 'owner@example.com'

async function askForCode(page: Page, url: string) {
  await page.goto(url)
  await page.getByLabel('Your email address').fill(email)
  await page.getByRole('button', { name: 'Email me a link and a code' }).click()
  await page.getByLabel('Code from the email').waitFor()
}

test('a person signs in with the code from the email, even after a reload', async ({
  mail,
  site,
  browser,
  endings,
}) => {
  const context = await browser.newContext({ viewport: phone })
  endings.push(() => context.close())
  const page = await context.newPage()
  await askForCode(page, site.deskUrl)
  await page.getByRole('button', { name: 'Send again or change the email address' }).click()
  await askForCode(page, site.deskUrl)
  const findMail = () =>
    mail.mails.findLast(({ to, subject }) => to.includes(email) && /code/.test(subject))
  await expect.poll(findMail).toBeDefined()
  const { subject = '', text = '' } = findMail() ?? {}
  const code = subject.match(/^\d{6}/)?.[0] ?? ''
  expect(text).toContain(`\n${code}\n`)
  // Reload, because an iPhone may close the desk while the person reads the email.
  await page.reload()
  const field = page.getByLabel('Code from the email')
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('inputmode', 'numeric')
  await expect(field).toHaveAttribute('autocomplete', 'one-time-code')
  await checkAxe(page, 'code')
  await field.fill(code === '000000' ? '111111' : '000000')
  await page.getByLabel('Your name').fill('Dana')
  await page.getByRole('button', { name: 'Open the desk' }).click()
  await expect(field).toHaveAccessibleDescription('This code is wrong or has expired.')
  await expect(field).toHaveAttribute('aria-invalid', 'true')

  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Open the desk' }).click()
  await page.getByRole('navigation', { name: 'Desk' }).waitFor()
  // The code used up the link, but this browser is signed in.
  await page.goto(text.match(/\S+#enter=\S+/)?.[0] ?? '')
  await page.getByRole('link', { name: 'People' }).click()
  await expect(row(page, 'this device')).toContainText('Dana')

  // The next sign-in asks for the email address again.
  await row(page, 'this device').getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Your email address')).toBeVisible()
})

test.describe('notifications', () => {
  test.use({ settings: { PUSH_SERVICES: pushHost } })

  test('Today asks a new device once to turn on notifications', async ({ signIn, endings }) => {
    const push = await startFakePush()
    endings.push(push.close)
    const openPhone = async (name: string, permission: NotificationPermission) => {
      const page = await signIn(name)
      // Fake the permission and the subscription. Headless Chromium blocks notifications and has no push service.
      await page.addInitScript(
        ({ permission, subscription }) => {
          Object.defineProperty(Notification, 'permission', { get: () => permission })
          Notification.requestPermission = async () => 'granted'
          PushManager.prototype.subscribe = async () =>
            ({ toJSON: () => subscription }) as unknown as PushSubscription
        },
        { permission, subscription: push.addPhone(name) },
      )
      await page.reload()
      await page.getByRole('heading', { name: 'All caught up' }).waitFor()
      const ask = page.getByRole('complementary', { name: 'Notifications' })
      return { page, ask, turnOn: ask.getByRole('button', { name: 'Turn on' }) }
    }
    const dana = await openPhone('Dana', 'default')
    await expect(dana.ask).toContainText('Get notified on this device about each new lead?')
    await checkAxe(dana.page, 'the question about notifications')
    await dana.ask.getByRole('button', { name: 'Not now' }).click()
    await expect(dana.ask).toHaveCount(0)

    const lee = await openPhone('Lee', 'default')
    await lee.turnOn.click()
    await expect(lee.page.getByText('Notifications are on for this device.')).toBeVisible()
    for (const { page, ask } of [dana, lee]) {
      await page.reload()
      await page.getByRole('heading', { name: 'All caught up' }).waitFor()
      await expect(ask).toHaveCount(0)
      await page.getByRole('link', { name: 'People' }).click()
    }
    await expect(dana.page.getByText('Lee’s device')).toBeVisible()

    // If the browser blocks notifications, the desk does not ask.
    await expect((await openPhone('Ann', 'denied')).ask).toHaveCount(0)
  })
})

test('the desk opens and takes a note in a browser that blocks storage', async ({
  site,
  sendLead,
  browser,
  endings,
}) => {
  await sendLead()
  const context = await browser.newContext({ viewport: phone })
  endings.push(() => context.close())
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
  })
  const page = await context.newPage()
  await askForCode(page, site.deskUrl)
  await enterDesk(page, await site.makeLink(), 'Sam')
  const card = row(page, visitor.name)
  await card.getByRole('button', { name: 'I’m calling' }).click()
  await card.getByLabel('Note').fill('Gate code 12')
  await card.getByRole('button', { name: 'Add note' }).click()
  await expect(card.getByText('Sam: Gate code 12')).toBeVisible()
  await expect(card.getByLabel('Note')).toHaveValue('')
})
