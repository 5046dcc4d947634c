import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Brand } from '#site/build/palette.ts'
import { createDir } from '#testing/database.ts'
import { checkLook } from './look.ts'

const brand: Brand = {
  colors: { ink: '#1b2326', paper: '#faf6ee', accent: '#b4501e' },
  corners: 'soft',
}
const name = 'Acme'

function prepare(logo: string) {
  const root = createDir()
  mkdirSync(join(root, 'site/brand'), { recursive: true })
  writeFileSync(join(root, 'site/brand/made.json'), '{}')
  writeFileSync(join(root, 'site/brand/logo.svg'), logo)
  return root
}

test('pictures of an earlier brand are to do', () => {
  const root = prepare('<svg viewBox="0 0 9 9"><path d="M0 0h9z"/></svg>')
  expect(checkLook({ root, brand, name })).toMatchObject({
    state: 'to do',
    says: expect.stringContaining('has changed'),
    next: 'npm run brand',
  })
})

test('what would end a build is said as the build says it', () => {
  const root = prepare('<svg viewBox="0 0 9 9"><text>Acme</text></svg>')
  const sentence = expect.stringMatching(/^site\/brand\/logo\.svg has <text>/)
  expect(checkLook({ root, brand, name })).toMatchObject({ state: 'to do', says: sentence })
  const pale = { ...brand, colors: { ...brand.colors, ink: '#8a9799' } }
  const other = expect.stringMatching(/^site\/brand\/brand\.ts: the contrast of ink/)
  expect(checkLook({ root, brand: pale, name })).toMatchObject({ state: 'to do', says: other })
})

test('where the brand’s files are left out, as in a container, there is nothing to say', () => {
  expect(checkLook({ root: createDir(), brand, name })).toBeUndefined()
})
