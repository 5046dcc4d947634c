import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copySources } from '#testing/copy-sources.ts'
import made from '../../leads/brand.json' with { type: 'json' }
import { brand } from '../brand/brand.ts'
import { computeBrandStamp } from '../brand/brand-stamp.ts'
import * as content from '../content.ts'
import { fillIn } from '../schema/placeholders.ts'
import { applyBrand, formatTokens } from './brand-plugin.ts'

test('a build warns when the brand has changed since npm run brand', () => {
  const folder = copySources()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const readWarnings = () => {
    const args = ['site/build/check-content.ts']
    const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: {} })
    return stderr
  }
  const words = fillIn({ ...content })
  const stamp = computeBrandStamp({ root: folder, brand, content: words })
  writeFileSync(join(folder, 'leads/brand.json'), JSON.stringify({ ...made, stamp }))
  expect(readWarnings()).toBe('')

  const file = join(folder, 'site/content.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace(content.company.name, 'Acme'))
  expect(readWarnings()).toMatch(/still show the old.*npm run brand\n$/)
})

test('writes what only later sections use to their style sheet', () => {
  const { transform } = applyBrand()
  const write = (sheet: string) => {
    if (typeof transform !== 'function') throw new Error('The plugin has no function.')
    const css = Reflect.apply(transform, undefined, ['', `/site/${sheet}.css`])
    return String(css).match(/--[\w-]+(?=:)/g)
  }
  const later = write('below-fold')
  expect(later).toContain('--color-sand')
  const first = write('landing-page')
  expect(first).toContain('--color-ink')
  expect(first?.filter((name) => later?.includes(name))).toEqual([])
  expect(write('not-found-page')).toEqual(
    expect.arrayContaining([...(later ?? []), ...(first ?? [])]),
  )
})

test('writes the corners to the style sheets', () => {
  expect(formatTokens({}, { ...made, roundness: 0 })).toContain('--radius-xl: 0rem;')
})
