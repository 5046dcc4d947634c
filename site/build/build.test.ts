import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildCopy, copySources } from '#testing/copy-sources.ts'
import * as content from '../content.ts'

describe('a build for another backend and a public address', () => {
  let folder: string
  const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8')
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
    expect(read('index.html')).toContain('<link rel="canonical" href="https://www.example.com/"/>')
    expect(read('robots.txt')).toContain('\nSitemap: https://www.example.com/sitemap.xml\n')
    expect(read('sitemap.xml')).toContain('<loc>https://www.example.com/</loc>')
  })

  test('allows exactly the inline scripts and styles of the pages, by hash', () => {
    for (const page of ['index.html', '404.html'].map(read)) {
      // JSON-LD is data, so the policy does not apply to it.
      const inlined = [...page.matchAll(/<(script|style)( [^>]*)?>(.*?)<\/\1>/gs)].filter(
        ([, , attributes]) => attributes !== ' type="application/ld+json"',
      )
      expect(inlined.length).toBeGreaterThanOrEqual(2)
      for (const [, , , code = ''] of inlined) {
        const hash = createHash('sha256').update(code).digest('base64')
        expect(read('_headers')).toContain(`'sha256-${hash}'`)
      }
      expect(page).not.toMatch(/<[^>]+ (style|on\w+)="/)
      expect(page).not.toMatch(/<link rel="stylesheet"|<script[^>]+src=/)
    }
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

  test('fits into the first ten packets', () => {
    expect(statSync(join(folder, 'dist/index.html.br')).size).toBeLessThanOrEqual(14_000)
  })

  test('has a renderer that makes the same pages again, and new ones without new files', async () => {
    const renderer = join(folder, 'dist-render')
    const { render }: typeof import('../render/render.tsx') = await import(
      pathToFileURL(join(renderer, 'render.mjs')).href
    )
    const build = JSON.parse(readFileSync(join(renderer, 'build.json'), 'utf8'))
    const page = render({ ...content }, build)
    // A failing comparison would print the whole page.
    expect(page.index === read('index.html')).toBe(true)
    expect(page.notFound === read('404.html')).toBe(true)
    expect(page.headers).toBe(read('_headers'))
    const form = { ...content.form, submit: 'Call me' }
    const files = (html: string) => html.match(/\/assets\/[\w.-]+/g)
    expect(files(render({ ...content, form }, build).index)).toEqual(files(page.index))
  })
})
