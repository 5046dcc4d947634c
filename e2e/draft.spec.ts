import { hourMs } from '#leads/time-units.ts'
import { findForm, formCode, visitor } from './form.ts'
import { expect, test } from './test.ts'

test('keeps a draft for a day on this device, across reloads and closed tabs', async ({
  page,
  context,
  form,
}) => {
  const posts: string[] = []
  context.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
  await page.goto('/')
  await form.fillIn()
  await page.reload()
  await expect(form.address).toHaveValue(visitor.address)
  expect(await form.readValues()).toEqual(visitor)

  // Text that is typed before the form's code loads is added to the draft.
  await page.route(formCode, () => {})
  await page.goto('/?again')
  await form.name.press('End')
  await page.keyboard.type(' X')
  expect(await form.readValues()).toEqual({ ...visitor, name: 'Jane Doe X' })
  expect(await form.readDraft()).toContain(visitor.address)

  const next = await context.newPage()
  const nextForm = findForm(next)
  await page.close()
  await next.goto('/')
  await expect(nextForm.email).toHaveValue('jane@example.com')
  expect(posts).toEqual([])

  await next.clock.setFixedTime(Date.now() + 25 * hourMs)
  await next.goto('/?tomorrow')
  await expect.poll(nextForm.readDraft).toBeNull()
  await expect(nextForm.name).toHaveValue('')
})
