import { expect as expectSoon, test } from '@playwright/test'
import { findFirefox, findWebKit } from '#scripts/browsers.mjs'
import { about, company, form as words } from '#site/content.ts'
import { visitor as person } from './form.ts'
import {
  fillInAs,
  type Start,
  says,
  startFirefox,
  startWebKit,
  submit,
  type Visitor,
} from './other-browsers.ts'

// The core walk in the two other engines. Each starts its own browser, which takes some seconds.

// Two browsers at once on a small machine are slow.
const expect = expectSoon.configure({ timeout: 20_000 })

const browsers: { name: string; isThere: boolean; start: Start }[] = [
  { name: 'Firefox', isThere: Boolean(findFirefox()), start: startFirefox },
  { name: 'WebKit', isThere: Boolean(findWebKit()), start: startWebKit },
]

const headerIsSolid = `document.documentElement.hasAttribute('data-scrolled')`
const text = (selector: string) =>
  `document.querySelector(${JSON.stringify(selector)})?.innerText.trim()`
const value = (name: string) => `document.getElementById('${name}').value`

for (const { name, isThere, start } of browsers) {
  test.describe(`in ${name}`, () => {
    test.describe.configure({ mode: 'default', timeout: 120_000 })
    test.skip(!isThere, `${name} is not installed here`)

    let visitor: Visitor | undefined
    const begin = async (...options: Parameters<Start>) => {
      visitor = await start(...options).catch((error) => {
        // Ubuntu's Firefox, for one, may not touch the folders a driver needs.
        test.skip(!process.env.CI, `${name} does not start here: ${error.message}`)
        throw error
      })
      await visitor.resize(1280, 800)
      return visitor
    }
    test.afterEach(async () => {
      const { status, expectedStatus } = test.info()
      if (visitor && status !== expectedStatus) {
        const body = Buffer.from(await visitor.takePicture())
        await test.info().attach('page', { body, contentType: 'image/png' })
      }
      await visitor?.close()
      visitor = undefined
    })

    test('the page stands, the header turns solid past 50 px, a lead goes out, and a wrong path leads home', async ({
      baseURL,
    }) => {
      const visitor = await begin()
      await visitor.open(`${baseURL}/?utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs`)
      expect(await visitor.read(text('h1'))).toBeTruthy()
      expect(await visitor.read(`[...document.images].some((i) => i.naturalWidth > 1000)`)).toBe(
        true,
      )
      expect(await visitor.read(`document.fonts.check('800 40px Archivo')`)).toBe(true)

      await visitor.resize(360, 740)
      expect(await visitor.read('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      await visitor.resize(1280, 800)

      const scrollTo = async (top: number) => {
        await visitor.read(`scrollTo({ top: ${top}, behavior: 'instant' })`)
        await expect.poll(() => visitor.read('scrollY')).toBe(top)
      }
      await scrollTo(51)
      await expect.poll(() => visitor.read(headerIsSolid)).toBe(true)
      await scrollTo(50)
      await expect.poll(() => visitor.read(headerIsSolid)).toBe(false)
      await scrollTo(400)
      const background = `getComputedStyle(document.querySelector('header')).backgroundColor`
      await expect.poll(() => visitor.read(background)).not.toBe('rgba(0, 0, 0, 0)')
      await visitor.press('header [data-to-top]')
      await expect.poll(() => visitor.read('scrollY')).toBe(0)

      await visitor.press(submit)
      await expect
        .poll(() => visitor.read(text('[data-sonner-toast]')))
        .toBe(words.toasts.incomplete)

      await fillInAs(visitor, { ...person, name: 'jane DOE' })
      expect(await visitor.read(value('name'))).toBe('Jane Doe')
      expect(await visitor.read(value('serviceType'))).toBe('roof-repair')
      await visitor.press(submit)
      await expect.poll(() => says(visitor, words.toasts.received)).toBe(true)
      expect(await visitor.read(value('name'))).toBe('')
      expect(await visitor.read('location.search')).toContain('utm_campaign=spring-roofs')
      expect(await visitor.read('window.seenErrors')).toEqual([])

      // An unknown path gets the 404 page.
      await visitor.open(`${baseURL}/no/such/page`)
      expect(await visitor.read('document.body.innerText')).toContain('Oops! Page not found')
      await visitor.press('a[href="/"]')
      await expect.poll(() => visitor.read(text('h1'))).not.toContain('Oops')
      expect(await visitor.read('location.pathname')).toBe('/')
    })

    test('without scripts the page reads and a lead goes out', async ({ baseURL }) => {
      const visitor = await begin({ scripts: false })
      await visitor.open(`${baseURL}/`)
      const all = String(await visitor.read('document.body.textContent'))
      for (const words of [company.phone, about.heading, 'Quick Links'])
        expect(all).toContain(words)
      await fillInAs(visitor)
      await visitor.press(submit)
      await expect.poll(() => visitor.read('location.hash')).toBe('#estimate-received')
      expect(await visitor.read(text('#estimate-received'))).toBe(words.toasts.received)
    })
  })
}
