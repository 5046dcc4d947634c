import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSource } from './lead.ts'
import { describeSource, explainSource } from './source.ts'

it.each([
  ['Direct', ''],
  ['Google Ads · spring-roofs', 'utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs'],
  ['Google Ads · spring-roofs', 'click=gclid&utm_campaign=spring-roofs&referrer=www.google.com'],
  ['Google Ads', 'click=wbraid'],
  ['Microsoft Ads', 'utm_source=bing&utm_medium=cpc&click=msclkid'],
  ['Facebook', 'click=fbclid&referrer=l.facebook.com'],
  ['Facebook', 'referrer=m.facebook.com'],
  ['Facebook Ads · storm', 'utm_source=FB&utm_medium=paid_social&utm_campaign=storm&click=fbclid'],
  ['Instagram', 'referrer=l.instagram.com'],
  ['google.com', 'referrer=www.google.com'],
  ['google.com', 'referrer=com.google.android.googlequicksearchbox'],
  ['notfacebook.com', 'referrer=notfacebook.com'],
  ['yard-sign', 'utm_source=yard-sign'],
  ['newsletter · november', 'utm_source=newsletter&utm_medium=email&utm_campaign=november'],
  ['email', 'utm_medium=email'],
  ['postcard', 'utm_campaign=postcard'],
  ['Direct', 'click=constructor'],
])('returns %s for %s', (name, source) => {
  expect(describeSource(source)).toBe(name)
})

it('returns Unknown if the page sent no source', () => {
  expect(describeSource(null)).toBe('Unknown')
  expect(explainSource(null)).toBeNull()
})

it('matches the examples in docs/owner-guide.md', () => {
  const text = readFileSync('docs/owner-guide.md', 'utf8')
  const links = [...text.matchAll(/^https:\/\/\S+?\?(\S+) +# (.+)$/gm)]
  expect(links).toHaveLength(2)
  for (const [, query = '', name] of links) expect(describeSource(readSource(query))).toBe(name)
})
