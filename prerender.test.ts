import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { copySources } from './testing/copy-sources.ts'

/** Builds the page as `npm run build` does, with this .env. */
function buildWith(dotEnv: string) {
  const folder = copySources()
  writeFileSync(join(folder, '.env'), dotEnv)
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, env })
  const assets = join(folder, 'dist/assets')
  const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8')
  return {
    folder,
    page: read('index.html'),
    notFound: read('404.html'),
    headers: read('_headers'),
    code: readdirSync(assets)
      .filter((name) => name.endsWith('.js'))
      .map((name) => read(`assets/${name}`))
      .join('\n'),
  }
}

describe('a build for another backend', () => {
  let built: ReturnType<typeof buildWith>
  beforeAll(() => {
    built = buildWith(
      'VITE_SUPABASE_URL=https://abc.supabase.co\nSUPABASE_ANON_KEY=sb_publishable_1\n',
    )
    return () => rmSync(built.folder, { recursive: true, force: true })
  })

  test('posts the plain form there, too', () => {
    const action = 'action="https://abc.supabase.co/functions/v1/submit-to-airtable"'
    expect(built.page).toContain(action)
  })

  test('sends the key that the function accepts', () => {
    expect(built.code).toContain('sb_publishable_1')
    expect(built.code).not.toContain('public-anon-key')
  })

  test('lets the page call it and post to it, and nobody else', () => {
    expect(built.headers).toContain("connect-src 'self' https://abc.supabase.co;")
    expect(built.headers).toContain("form-action 'self' https://abc.supabase.co;")
    expect(built.headers).not.toContain('google')
  })

  test('allows by their hashes exactly the scripts and styles that stand in the pages', () => {
    for (const page of [built.page, built.notFound]) {
      const inlined = [...page.matchAll(/<(script|style)( [^>]*)?>(.*?)<\/\1>/gs)]
      expect(inlined.length).toBeGreaterThanOrEqual(2)
      for (const [, , , code = ''] of inlined) {
        const hash = createHash('sha256').update(code).digest('base64')
        expect(built.headers).toContain(`'sha256-${hash}'`)
      }
      expect(page).not.toMatch(/<[^>]+ (style|on\w+)="/)
      expect(page).not.toMatch(/<link rel="stylesheet"|<script[^>]+src=/)
    }
  })
})

test('a build with a maps key lets Google’s script in', () => {
  const { folder, headers } = buildWith('VITE_GOOGLE_MAPS_API_KEY=a-key\n')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(headers).toMatch(/script-src [^;]* https:\/\/maps\.googleapis\.com/)
  expect(headers).toMatch(/connect-src [^;]* https:\/\/places\.googleapis\.com/)
  expect(headers).not.toMatch(/unsafe-/)
})
