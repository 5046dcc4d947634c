import { answerWith, fillIn, press, readDraft, readValues, visitor } from './form.ts'
import { expect, test } from './test.ts'

// Who answers may be a hotel's sign-in page or a host's fallback, and 200 means nothing then.

test('HTML and an answer from elsewhere are failures; all is kept', async ({ page }) => {
  for (const [index, answer] of [
    { contentType: 'text/html; charset=UTF-8', body: '<h1>Welcome</h1>' },
    { contentType: 'Text/HTML', body: '' },
    { status: 302, headers: { location: '/healthz' } },
  ].entries()) {
    await answerWith(page, answer)
    // Another page, so that the toast is this answer's.
    await page.goto(`/?${index}`)
    await fillIn(page)
    await press(page, 'failed')
    expect(await readValues(page)).toEqual(visitor)
    expect(await readDraft(page)).toContain('Jane')
  }
})

test('any JSON, nothing at all, and plain text from a backend are a success', async ({ page }) => {
  for (const [index, answer] of [
    { contentType: 'application/json', body: '{"id":7}' },
    { status: 204 },
    { contentType: 'text/plain', body: 'ok' },
  ].entries()) {
    await answerWith(page, answer)
    await page.goto(`/?${index}`)
    await fillIn(page)
    await press(page)
  }
})
