import { fields, fillIn, formCode, readDraft, readValues, visitor } from './form.ts'
import { expect, test } from './test.ts'

test('what was typed survives a reload and a closed tab for a day, on this device only', async ({
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
  await page.route(formCode, () => {})
  await page.goto('/?again')
  await fields(page).name.press('End')
  await page.keyboard.type(' X')
  expect(await readValues(page)).toEqual({ ...visitor, name: 'Jane Doe X' })
  expect(await readDraft(page)).toContain(visitor.address)

  const next = await context.newPage()
  await page.close()
  await next.goto('/')
  await expect(fields(next).email).toHaveValue('jane@example.com')
  expect(asked.filter((url) => url.includes('functions'))).toEqual([])

  await next.clock.setFixedTime(Date.now() + 25 * 60 * 60_000)
  await next.goto('/?tomorrow')
  await expect.poll(() => readDraft(next)).toBeNull()
  await expect(fields(next).name).toHaveValue('')
})
