import { expect, test } from '@playwright/test'
import { findFirefox, findWebKit } from '#scripts/tools.mjs'
import { about, company, form as words } from './content.ts'
import { visitor } from './form.ts'
import { type OtherBrowser, shows, startFirefox, startWebKit } from './other-browsers.ts'

// Run one browser at a time, because two open WebKitGTK windows get no scroll events.
test.describe.configure({ mode: 'default' })

const submit = '#estimate button[type=submit]'
const isHydrated = `document.querySelector('#estimate form').noValidate`
const headerIsSolid = `document.documentElement.hasAttribute('data-scrolled')`
const value = (name: string) => `document.getElementById('${name}').value`

async function fillIn(browser: OtherBrowser, { serviceType: _, ...texts } = visitor) {
  for (const [name, text] of Object.entries(texts)) await browser.type(`#${name}`, text)
  await browser.type('#serviceType', 'Roof Repair')
}

for (const [name, isInstalled, start] of [
  ['Firefox', findFirefox(), startFirefox],
  ['WebKit', findWebKit(), startWebKit],
] as const) {
  for (const scripts of [true, false]) {
    test(`${name} ${scripts ? 'with' : 'without'} scripts shows the page and sends the form`, async ({
      baseURL,
    }) => {
      test.skip(!isInstalled && !process.env.CI, `${name} is not installed.`)
      const browser = await start({ scripts })
      try {
        await browser.resize(1280, 800)
        await (scripts ? walk : walkWithoutScripts)(browser, baseURL ?? '')
      } finally {
        await browser.close()
      }
    })
  }
}

async function walk(browser: OtherBrowser, baseURL: string) {
  await browser.open(`${baseURL}/?utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs`)
  expect(await browser.read(`document.querySelector('h1').innerText`)).toBeTruthy()
  expect(await browser.read(`[...document.images].some((i) => i.naturalWidth > 1000)`)).toBe(true)
  expect(await browser.read(`document.fonts.check('800 40px Archivo')`)).toBe(true)
  await browser.resize(360, 740)
  // WebKitGTK responds before it has resized the page.
  const pageWidth = () => browser.read('document.documentElement.scrollWidth')
  await expect.poll(async () => Number(await pageWidth())).toBeLessThanOrEqual(360)
  await browser.resize(1280, 800)

  for (const [top, isSolid] of [[51, true] as const, [50, false] as const, [400, true] as const]) {
    await browser.read(`scrollTo({ top: ${top}, behavior: 'instant' })`)
    await expect.poll(() => browser.read('scrollY')).toBe(top)
    await expect.poll(() => browser.read(headerIsSolid)).toBe(isSolid)
  }
  const background = `getComputedStyle(document.querySelector('header')).backgroundColor`
  await expect.poll(() => browser.read(background)).not.toBe('rgba(0, 0, 0, 0)')
  await browser.press('header [data-to-top]')
  await expect.poll(() => browser.read('scrollY')).toBe(0)

  await browser.press(submit)
  await expect.poll(() => shows(browser, words.toasts.incomplete)).toBe(true)
  await expect.poll(() => browser.read(isHydrated)).toBe(true)
  await fillIn(browser, { ...visitor, name: 'jane DOE' })
  expect(await browser.read(value('name'))).toBe('Jane Doe')
  expect(await browser.read(value('serviceType'))).toBe('roof-repair')
  await browser.press(submit)
  await expect.poll(() => shows(browser, words.toasts.received)).toBe(true)
  expect(await browser.read(value('name'))).toBe('')
  expect(await browser.read('location.search')).toContain('utm_campaign=spring-roofs')

  // A Wi-Fi sign-in page instead of the backend's response is a failure.
  await browser.read(`void (window.fetch = async () => new Response('<html></html>', {
    headers: { 'content-type': 'text/html' } }))`)
  await fillIn(browser)
  await browser.press(submit)
  await expect.poll(() => shows(browser, words.toasts.failed)).toBe(true)
  expect(await browser.read(value('address'))).toBe(visitor.address)
  expect(await browser.read(`localStorage.getItem('estimate-draft')`)).toContain(visitor.address)
  expect(await browser.read('window.seenErrors')).toEqual([])

  await browser.open(`${baseURL}/no/such/page`)
  expect(await shows(browser, 'Oops! Page not found')).toBe(true)
  await browser.press('a[href="/"]')
  await expect.poll(() => browser.read('location.pathname')).toBe('/')
  await expect.poll(() => shows(browser, 'Oops')).toBe(false)
}

async function walkWithoutScripts(browser: OtherBrowser, baseURL: string) {
  await browser.open(`${baseURL}/`)
  const all = await browser.read('document.body.textContent')
  for (const text of [company.phone, about.heading, 'Quick Links']) expect(all).toContain(text)
  await fillIn(browser)
  await browser.press(submit)
  await expect.poll(() => browser.read('location.hash')).toBe('#estimate-received')
  await expect.poll(() => shows(browser, words.received.heading)).toBe(true)
}
