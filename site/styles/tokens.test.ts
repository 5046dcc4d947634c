import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const site = join(import.meta.dirname, '..')
const read = (file: string) =>
  readFileSync(join(site, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')

const tokens = read('styles/tokens.css')
const sheets = globSync('**/*.css', { cwd: site }).map((file) => ({ file, css: read(file) }))
const findNames = (css: string, pattern: RegExp) =>
  [...css.matchAll(pattern)].map(([, name]) => name)

test('the tokens stand alone: another page can take them without the rest', () => {
  expect(tokens).toMatch(/^\s*:root \{[^{}]*\}\s*$/)
  expect(tokens).not.toContain('url(')
})

test('every color of the site is a token', () => {
  const colored = sheets.filter(({ css }) =>
    /#[\da-f]{3,8}\b(?=[^{}]*;)|\brgb\(|\bhsl\(/i.test(css),
  )
  expect(colored.map(({ file }) => file)).toEqual(['styles/tokens.css'])
})

test('every token is defined, and used', () => {
  const used = sheets.flatMap(({ css }) => findNames(css, /var\((--[\w-]+)/g))
  const defined = sheets.flatMap(({ css }) => findNames(css, /(--[\w-]+):/g))
  // Set by drift.ts.
  expect(used.filter((name) => !defined.includes(name) && name !== '--cards')).toEqual([])
  const unused = findNames(tokens, /(--[\w-]+):/g).filter((name) => !used.includes(name))
  expect(unused).toEqual([])
})

test('each sheet in a folder stands beside the component of its name', () => {
  const beside = sheets.map(({ file }) => file).filter((file) => !/^(styles|fonts)\//.test(file))
  const components = globSync('**/*.tsx', { cwd: site }).map((file) => file.replace('.tsx', '.css'))
  expect(beside.filter((file) => !components.includes(file))).toEqual([])
})
