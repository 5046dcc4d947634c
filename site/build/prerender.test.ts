import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { copySources } from '#testing/copy-sources.ts'
import { company, head, services } from '../content.ts'
import { formatCrawlerFiles } from './prerender.ts'
import { renderPage } from './render.tsx'
import { formatSiteHeaders } from './site-headers.ts'

const optional = {
  address: { street: '12 Main St', city: 'Duluth', state: 'MN', zip: '55802' },
  license: 'License </script><b>&1',
  email: 'office@example.com',
  social: [{ name: 'Facebook', url: 'https://www.facebook.com/acme' }],
}
const privacyPolicy = { label: 'Privacy policy', url: 'https://www.example.com/privacy' }

/** Runs the build with this .env and every optional content entry. */
function buildWith(dotEnv: string) {
  const folder = copySources()
  appendFileSync(
    join(folder, 'site/content.ts'),
    `Object.assign(company, ${JSON.stringify(optional)})
    Object.assign(form.consent, ${JSON.stringify({ privacyPolicy })})\n`,
  )
  writeFileSync(join(folder, '.env'), dotEnv)
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  try {
    const args = [vite, 'build', '--logLevel', 'error']
    execFileSync(process.execPath, args, { cwd: folder, env, stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const assets = join(folder, 'dist/assets')
  const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8')
  return {
    folder,
    page: read('index.html'),
    notFound: read('404.html'),
    headers: read('_headers'),
    robots: read('robots.txt'),
    sitemap: existsSync(join(folder, 'dist/sitemap.xml')) ? read('sitemap.xml') : undefined,
    code: readdirSync(assets)
      .filter((name) => name.endsWith('.js'))
      .map((name) => read(`assets/${name}`))
      .join('\n'),
  }
}

/** Reads the metadata that search engines and messengers look for. */
function readHead(page: string) {
  const [, inHead = ''] = page.match(/<head>(.*?)<\/head>/s) ?? []
  const decode = (text = '') => text.replaceAll('&#x27;', "'").replaceAll('&amp;', '&')
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

describe('a build for another backend and a public address', () => {
  let built: ReturnType<typeof buildWith>
  beforeAll(() => {
    built = buildWith(`
      VITE_SUPABASE_URL=https://abc.supabase.co
      SUPABASE_ANON_KEY=sb_publishable_1
      PUBLIC_URL=https://www.example.com/
    `)
    return () => rmSync(built.folder, { recursive: true, force: true })
  })

  test('sends leads only to that backend, with the key that the function accepts', () => {
    const action = 'action="https://abc.supabase.co/functions/v1/submit-to-airtable"'
    expect(built.page).toContain(action)
    expect(built.code).toContain('sb_publishable_1')
    expect(built.code).not.toContain('public-anon-key')
    expect(built.headers).toContain("connect-src 'self' https://abc.supabase.co;")
    expect(built.headers).toContain("form-action 'self' https://abc.supabase.co;")
  })

  test('allows exactly the inline scripts and styles of the pages, by hash', () => {
    for (const page of [built.page, built.notFound]) {
      // JSON-LD is data, so the policy does not apply to it.
      const inlined = [...page.matchAll(/<(script|style)( [^>]*)?>(.*?)<\/\1>/gs)].filter(
        ([, , attributes]) => attributes !== ' type="application/ld+json"',
      )
      expect(inlined.length).toBeGreaterThanOrEqual(2)
      for (const [, , , code = ''] of inlined) {
        const hash = createHash('sha256').update(code).digest('base64')
        expect(built.headers).toContain(`'sha256-${hash}'`)
      }
      expect(page).not.toMatch(/<[^>]+ (style|on\w+)="/)
      expect(page).not.toMatch(/<link rel="stylesheet"|<script[^>]+src=/)
    }
  })

  test('has its title, description, and address in the raw HTML', () => {
    const { title, canonical, metas } = readHead(built.page)
    expect(title).toBe(head.title)
    expect(canonical).toBe('https://www.example.com/')
    expect(metas).toMatchObject({
      description: head.description,
      'og:title': head.title,
      'og:description': head.description,
      'og:url': 'https://www.example.com/',
      'og:image': 'https://www.example.com/og.jpg',
      'twitter:card': 'summary_large_image',
      'twitter:image': 'https://www.example.com/og.jpg',
    })
    expect(metas).not.toHaveProperty('robots')
    const notFound = readHead(built.notFound)
    expect(notFound.metas).toMatchObject({ robots: 'noindex' })
    expect(notFound.canonical).toBeUndefined()
  })

  test('describes the company to search engines, without ratings', () => {
    const { business } = readHead(built.page)
    expect(business).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'RoofingContractor',
      name: company.name,
      telephone: expect.stringMatching(/^\+1\d{10}$/),
      url: 'https://www.example.com/',
      image: 'https://www.example.com/og.jpg',
      areaServed: company.areaServed,
      openingHoursSpecification: { opens: '00:00', closes: '23:59' },
    })
    expect(business.openingHoursSpecification.dayOfWeek).toHaveLength(7)
    const offers: { itemOffered: { name: string } }[] = business.makesOffer
    const titles = services.cards.map(({ title }) => title)
    expect(offers.map(({ itemOffered }) => itemOffered.name)).toEqual(titles)
    expect(JSON.stringify(business)).not.toMatch(/rating|review/i)
  })

  test('shows optional entries in the footer, beside the consent line, and to search engines', () => {
    expect(readHead(built.page).business).toMatchObject({
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
    const [, footer = ''] = built.page.match(/<footer(.*)<\/footer>/s) ?? []
    expect(footer).toContain('href="mailto:office@example.com"')
    expect(footer).toContain('<a href="https://www.facebook.com/acme"')
    expect(footer).toMatch(/12 Main St<br\/>Duluth.*, .*MN.* .*55802/)
    expect(footer).toContain('License &lt;/script&gt;&lt;b&gt;&amp;1')
    expect(built.page).toMatch(/class="consent">.*<a href="https:\/\/www\.example\.com\/privacy">/)
  })

  test('has a small picture for shared links, with the size given in the metadata', async () => {
    const picture = join(built.folder, 'dist/og.jpg')
    const { width, height } = await sharp(picture).metadata()
    const { metas } = readHead(built.page)
    expect([width, height].map(String)).toEqual([metas['og:image:width'], metas['og:image:height']])
    expect(statSync(picture).size).toBeLessThan(120_000)
  })

  test('allows crawlers and lists the page in the sitemap', () => {
    expect(built.robots).toBe(
      'User-agent: *\nAllow: /\nSitemap: https://www.example.com/sitemap.xml\n',
    )
    const addresses = [...(built.sitemap ?? '').matchAll(/<loc>(.*?)<\/loc>/g)]
    expect(addresses.map(([, address]) => address)).toEqual(['https://www.example.com/'])
  })

  test('fits into the first ten packets', () => {
    expect(statSync(join(built.folder, 'dist/index.html.br')).size).toBeLessThanOrEqual(14_000)
  })
})

test('omits the page’s address without PUBLIC_URL', () => {
  const { canonical, metas, business } = readHead(
    `<head>${renderPage('landing', undefined).head}</head>`,
  )
  expect(canonical).toBeUndefined()
  expect(Object.keys(metas).filter((name) => /url|image/.test(name))).toEqual([])
  expect(business).not.toHaveProperty('url')
  expect(formatCrawlerFiles(undefined)).toEqual({ 'robots.txt': 'User-agent: *\nAllow: /\n' })
})

test('allows Google’s script only with a maps key', () => {
  const settings = { pages: [], supabaseUrl: undefined }
  expect(formatSiteHeaders({ ...settings, withMaps: false })).not.toContain('google')
  const headers = formatSiteHeaders({ ...settings, withMaps: true })
  expect(headers).toMatch(/script-src [^;]* https:\/\/maps\.googleapis\.com/)
  expect(headers).toMatch(/connect-src [^;]* https:\/\/places\.googleapis\.com/)
  expect(headers).not.toMatch(/unsafe-/)
})
