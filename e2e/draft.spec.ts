import { findForm, formCode, visitor } from './form.ts'
import { expect, test } from './test.ts'

test('what was typed survives a reload and a closed tab for a day, on this device only', async ({
  page,
  context,
  form,
}) => {
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  await page.goto('/')
  await form.fillIn()
  await page.reload()
  await expect(form.address).toHaveValue(visitor.address)
  expect(await form.readValues()).toEqual(visitor)

  // What is typed next, before the form's code is there, is added to it.
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
  expect(asked.filter((url) => url.includes('functions'))).toEqual([])

  await next.clock.setFixedTime(Date.now() + 25 * 60 * 60_000)
  await next.goto('/?tomorrow')
  await expect.poll(nextForm.readDraft).toBeNull()
  await expect(nextForm.name).toHaveValue('')
})
