import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildCopy, copySources } from '#testing/copy-sources.ts'
import * as content from '../content.ts'
import type { Build } from '../render/build.ts'
import { compress } from './compress.ts'
import { maxPageBytes, weigh } from './weigh.ts'

describe('a build for another backend and a public address', () => {
  let folder: string
  const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8')
  const importRenderer = async () => {
    const renderer = join(folder, 'dist-render')
    const { render }: typeof import('../render/render.tsx') = await import(
      pathToFileURL(join(renderer, 'render.mjs')).href
    )
    const build: Build = JSON.parse(readFileSync(join(renderer, 'build.json'), 'utf8'))
    return { render, build }
  }
  beforeAll(() => {
    folder = copySources()
    writeFileSync(
      join(folder, '.env'),
      `VITE_SUPABASE_URL=https://abc.supabase.co
      SUPABASE_ANON_KEY=sb_publishable_1
      PUBLIC_URL=https://www.example.com/
      `,
    )
    buildCopy(folder)
    return () => rmSync(folder, { recursive: true, force: true })
  })

  test('sends leads only to that backend, with the key that the function accepts', () => {
    const action = 'action="https://abc.supabase.co/functions/v1/submit-to-airtable"'
    expect(read('index.html')).toContain(action)
    const code = readdirSync(join(folder, 'dist/assets'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => read(`assets/${name}`))
      .join('\n')
    expect(code).toContain('sb_publishable_1')
    expect(code).not.toContain('public-anon-key')
    const headers = read('_headers')
    expect(headers).toContain("connect-src 'self' https://abc.supabase.co;")
    expect(headers).toContain("form-action 'self' https://abc.supabase.co;")
  })

  test('has the public address in its metadata and its sitemap', () => {
    expect(read('index.html')).toContain('<link rel="canonical" href="https://www.example.com/">')
    expect(read('robots.txt')).toContain('\nSitemap: https://www.example.com/sitemap.xml\n')
    expect(read('sitemap.xml')).toContain('<loc>https://www.example.com/</loc>')
  })

  test('allows exactly the inline script and style of the page, by hash', () => {
    const page = read('index.html')
    // Skip JSON-LD, because the Content-Security-Policy does not apply to data.
    const inlined = [...page.matchAll(/<(script|style)( [^>]*)?>(.*?)<\/\1>/gs)].filter(
      ([, , attributes]) => attributes !== ' type="application/ld+json"',
    )
    // With `type="module"`, the script could run after the first paint.
    expect(inlined.map(([, name, attributes]) => [name, attributes])).toEqual([
      ['style', undefined],
      ['script', undefined],
    ])
    for (const [, , , code = ''] of inlined) {
      const hash = createHash('sha256').update(code).digest('base64')
      expect(read('_headers')).toContain(`'sha256-${hash}'`)
    }
    expect(/<[^>]+ (style|on\w+)="|<script[^>]+src=/.exec(page)?.[0]).toBeUndefined()
    expect(/<(style|script)[ >]/.exec(read('404.html').replaceAll(/<script [^>]*src=/g, ''))).toBe(
      null,
    )
  })

  test('links one style sheet, for visitors without scripts', () => {
    const [before = '', ...after] = read('index.html').split('<link rel="stylesheet"')
    expect(after).toHaveLength(1)
    expect(before.endsWith('</script><noscript>')).toBe(true)
  })

  test('defines each custom property in the style sheet that uses it, or in the page', () => {
    const [, landing = ''] = read('index.html').match(/<style>(.*?)<\/style>/s) ?? []
    const [file = ''] = read('index.html').match(/assets\/below-fold-[\w-]+\.css/) ?? []
    // Skip --cards, which review-motion.ts sets.
    const findMissing = (css: string, defined: string) =>
      [...css.matchAll(/var\((--[\w-]+)\)/g)]
        .map(([, name = '']) => name)
        .filter((name) => name !== '--cards' && !defined.includes(`${name}:`))
    expect(findMissing(landing, landing)).toEqual([])
    expect(findMissing(read(file), landing + read(file))).toEqual([])
  })

  test('has every file that the pages name', () => {
    const pages = ['index.html', '404.html'].map(read).join()
    const names = [...pages.matchAll(/\/(assets\/[\w.-]+)/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !existsSync(join(folder, 'dist', name)))).toEqual([])
  })

  test('has a small picture for shared links, with the size given in the metadata', async () => {
    const picture = join(folder, 'dist/og.jpg')
    const { width, height } = await sharp(picture).metadata()
    expect(read('index.html')).toContain(`property="og:image:width" content="${width}"`)
    expect(read('index.html')).toContain(`property="og:image:height" content="${height}"`)
    expect(statSync(picture).size).toBeLessThan(120_000)
  })

  const { hours, testimonials } = content
  const day = ['7:00-18:00']
  const realWeek = {
    hours: {
      ...hours,
      open: { Mon: day, Tue: day, Wed: day, Thu: day, Fri: ['7:00-16:30'], Sat: ['8:00-12:00'] },
      closedDates: ['2026-11-26', '2026-12-25', '2027-01-01'],
    },
    testimonials: {
      ...testimonials,
      reviews: testimonials.reviews.map((review, index) => {
        const month = new Date(Date.UTC(2024, index)).toLocaleDateString('en-US', {
          ...{ timeZone: 'UTC', month: 'long', year: 'numeric' },
        })
        return { ...review, month, source: index % 3 ? 'Google' : 'Yelp' }
      }),
    },
  }

  test.each([
    ['around the clock', {}],
    ['with a real week, holidays, and the months and sources of 20 reviews', realWeek],
  ])('fits into the first round trip, with its headers, %s', async (variant, changes) => {
    const { render, build } = await importRenderer()
    const { index, headers } = render({ ...content, ...changes }, build)
    const { br } = await compress(Buffer.from(index))
    const bytes = weigh(br, headers)
    process.stdout.write(`The page ${variant} has ${bytes} bytes, ${maxPageBytes - bytes} left.\n`)
    expect(bytes).toBeLessThanOrEqual(maxPageBytes)
  })

  test('has a renderer that makes the same pages again, and new ones without new files', async () => {
    const { render, build } = await importRenderer()
    const page = render({ ...content }, build)
    // Compare with ===, because a failing toBe would print the whole page.
    expect(page.index === read('index.html')).toBe(true)
    expect(page.notFound === read('404.html')).toBe(true)
    expect(page.headers).toBe(read('_headers'))
    const form = { ...content.form, submit: 'Call me' }
    const files = (html: string) => html.match(/\/assets\/[\w.-]+/g)
    expect(files(render({ ...content, form }, build).index)).toEqual(files(page.index))
  })
})
