import { expect, test } from 'vitest'
import { listFiles } from '../build/files.ts'
import * as file from '../content.ts'
import type { Content } from '../schema/content-schema.ts'
import { editorSections } from '../schema/editor.ts'
import { fillIn } from '../schema/placeholders.ts'
import type { Build } from './build.ts'
import { render } from './render.tsx'
import { formatSiteHeaders } from './site-headers.ts'

const content: Content = { ...file }
const { company, head, services } = fillIn(content)

const build: Build = {
  files: Object.fromEntries(listFiles().map((name) => [name, `/assets/${name}`])),
  formCode: '/assets/main.js',
  reviewMotion: '/assets/review-motion.js',
  script: { code: 'page()' },
  styles: {
    landing: { code: 'a{}' },
    belowFold: { url: '/assets/below-fold.css' },
    notFound: { url: '/assets/not-found-page.css' },
  },
  missingPage: { url: '/assets/report-missing-page.js' },
  publicUrl: 'https://www.example.com',
  withMaps: true,
}

const decode = (text = '') =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(x27|39);/g, "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Reads the metadata that search engines and messaging apps look for. */
function readHead(page: string) {
  const [, inHead = ''] = page.match(/<head>(.*?)<\/head>/s) ?? []
  const metas = [...inHead.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)]
  const [, json = '{}'] =
    inHead.match(/<script type="application\/ld\+json">(.*?)<\/script>/s) ?? []
  return {
    title: decode(inHead.match(/<title>(.*?)<\/title>/)?.[1]),
    canonical: inHead.match(/<link rel="canonical" href="([^"]+)"/)?.[1],
    metas: Object.fromEntries(metas.map(([, name, content]) => [name, decode(content)])),
    business: JSON.parse(json),
  }
}

test('has each section that the owner can edit, and links only to sections with a text for it', () => {
  const footer = { ...content.footer, links: { services: 'What we do' } }
  const { index } = render({ ...content, footer }, build)
  for (const { anchor = 'headline' } of editorSections) expect(index).toContain(` id="${anchor}"`)
  expect(index).not.toContain('href="#about"')
  expect(index).toContain('<a href="#services" class="footer-link">What we do</a>')
})

test('has its title, description, and address in the raw HTML', () => {
  const { index, notFound } = render(content, build)
  const { title, canonical, metas } = readHead(index)
  expect(title).toBe(head.title)
  expect(title).toContain(company.name)
  expect(canonical).toBe('https://www.example.com/')
  expect(metas).toMatchObject({
    description: head.description,
    'og:title': head.title,
    'og:description': head.description,
    'og:url': 'https://www.example.com/',
    'og:image': 'https://www.example.com/og.jpg',
    'twitter:card': 'summary_large_image',
  })
  expect(metas).not.toHaveProperty('robots')
  expect(readHead(notFound).metas).toMatchObject({ robots: 'noindex' })
  expect(readHead(notFound).canonical).toBeUndefined()
})

test('omits the page’s address without PUBLIC_URL', () => {
  const { index } = render(content, { ...build, publicUrl: undefined })
  const { canonical, metas, business } = readHead(index)
  expect(canonical).toBeUndefined()
  expect(Object.keys(metas).filter((name) => /url|image/.test(name))).toEqual([])
  expect(business).not.toHaveProperty('url')
})

test('describes the company to search engines, without ratings', () => {
  const { business } = readHead(render(content, build).index)
  expect(business).toMatchObject({
    '@context': 'https://schema.org',
    '@type': 'RoofingContractor',
    name: company.name,
    description: head.description,
    telephone: expect.stringMatching(/^\+1\d{10}$/),
    url: 'https://www.example.com/',
    image: 'https://www.example.com/og.jpg',
    areaServed: company.areaServed,
    openingHoursSpecification: { opens: '00:00', closes: '23:59' },
  })
  expect(business.openingHoursSpecification.dayOfWeek).toHaveLength(7)
  const offers: { itemOffered: object }[] = business.makesOffer
  expect(offers.map(({ itemOffered }) => itemOffered)).toMatchObject(
    services.cards.map(({ title, text }) => ({ name: title, description: text })),
  )
  expect(JSON.stringify(business)).not.toMatch(/rating|review/i)
})

test('promises a call within minutes only in the form and while open, if the company closes', () => {
  const hours = { ...content.hours, open: { Mon: ['7:00-18:00'] } }
  const { index } = render({ ...content, hours }, build)
  const outside = decode(index.replace(/<div id="estimate".*?<\/form>/s, ''))
  // The server chooses one of these messages after a native post.
  const { callSoon, callAfterOpening } = fillIn(content).form.received
  const promises = outside
    .replaceAll(decode(callAfterOpening), '')
    .replaceAll(decode(callSoon), '')
    .match(/[^.>"]*\b10 minutes/g)
  expect(promises?.filter((promise) => !promise.startsWith(" While we're open,"))).toEqual([])
  expect(promises).not.toHaveLength(0)
  const always = decode(render(content, build).index)
  expect(always).toContain("Not urgent? Fill out the form, and we'll call you within 10 minutes.")
})

test('tells search engines the hours, and only holidays with a year, because they need one', () => {
  const hours = {
    ...content.hours,
    open: { Mon: ['7:00-18:00'] },
    closedDates: ['12-25', '2030-07-05'],
  }
  const { business } = readHead(render({ ...content, hours }, build).index)
  const specified: { validFrom?: string }[] = business.openingHoursSpecification
  expect(specified[0]).toMatchObject({ dayOfWeek: ['Monday'], opens: '07:00', closes: '18:00' })
  expect(specified.flatMap(({ validFrom }) => validFrom ?? [])).toEqual(['2030-07-05'])
})

test('shows optional entries in the footer, beside the consent line, and to search engines', () => {
  const optional = {
    address: { street: '12 Main St', city: 'Duluth', state: 'MN', zip: '55802' },
    license: 'MN license BC1',
    email: 'office@example.com',
    social: [{ name: 'Facebook', url: 'https://www.facebook.com/acme' }],
  }
  const privacyPolicy = { label: 'Privacy policy', url: 'https://www.example.com/privacy' }
  const consent = { ...content.form.consent, privacyPolicy }
  const { index } = render(
    {
      ...content,
      company: { ...content.company, ...optional },
      form: { ...content.form, consent },
    },
    build,
  )
  expect(readHead(index).business).toMatchObject({
    email: optional.email,
    address: {
      '@type': 'PostalAddress',
      streetAddress: '12 Main St',
      addressLocality: 'Duluth',
      addressRegion: 'MN',
      postalCode: '55802',
      addressCountry: company.region,
    },
    identifier: { name: 'License', value: optional.license },
    sameAs: ['https://www.facebook.com/acme'],
  })
  const [, footer = ''] = index.match(/<footer(.*)<\/footer>/s) ?? []
  expect(footer).toContain('href="mailto:office@example.com"')
  expect(footer).toContain('<a href="https://www.facebook.com/acme"')
  expect(footer).toMatch(/12 Main St<br\/>Duluth.*, .*MN.* .*55802/)
  expect(index).toMatch(/class="consent">.*<a href="https:\/\/www\.example\.com\/privacy">/)
})

const hostile = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '</style></title><!--',
  '"\' onload="alert(1)',
  '{{x}} {constructor} %s $& \\u003c',
  '🏠 \u202eمرحبا بالعالم\u202c',
  'a\r\nX-Header: b',
  'x'.repeat(10_000),
].join(' ')

/** Replaces every text in the value. */
const spoil = (value: unknown): unknown => {
  if (typeof value === 'string') return hostile
  if (Array.isArray(value)) return value.map(spoil)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoil(inner)]))
}

test('shows hostile text in every entry as text, and keeps its policy', () => {
  const { about, services, ...whole } = spoil({ ...content, hours: {} }) as Content
  const spoiled: Content = {
    ...whole,
    hours: content.hours,
    // Keep the icons, because the schema allows only known names.
    about: { ...about, points: about.points.map((point) => ({ ...point, icon: 'check' })) },
    services: { ...services, cards: services.cards.map((card) => ({ ...card, icon: 'roof' })) },
  }
  const clean = render(content, build)
  const page = render(spoiled, build)
  const listTags = (html: string) => [...new Set(html.match(/<[!/]?[\w-]+/g))].toSorted()
  expect(listTags(page.index)).toEqual(listTags(clean.index))
  const tags = page.index.match(/<[a-z][^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"|'[^']*'/g, ''))
  expect(tags?.filter((tag) => /\son\w+=/i.test(tag))).toEqual([])
  expect(page.index.match(/<script/g)).toHaveLength(2)
  expect(page.index.match(/<\/script>/g)).toHaveLength(2)
  expect(page.headers).toBe(clean.headers)
  // The text survives unchanged in HTML, in JSON-LD, and in the form's content.
  const [, headline] = page.index.match(/<h1 id="headline">([^<]*)</) ?? []
  expect(decode(headline)).toBe(hostile)
  expect(readHead(page.index).business.name).toBe(hostile)
  const [, island] = page.index.match(/data-content='([^']*)'/) ?? []
  expect(JSON.parse(decode(island)).words.submit).toBe(hostile)
})

test('allows Google’s script only with a maps key', () => {
  expect(formatSiteHeaders({ pages: [], withMaps: false })).not.toContain('google')
  const headers = formatSiteHeaders({ pages: [], withMaps: true })
  expect(headers).toMatch(/script-src [^;]* https:\/\/maps\.googleapis\.com/)
  expect(headers).toMatch(/connect-src [^;]* https:\/\/places\.googleapis\.com/)
  expect(headers).not.toMatch(/unsafe-/)
})
