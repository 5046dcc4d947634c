import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Package = { integrity?: string; resolved?: string; link?: boolean }

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const locked: Record<string, Package> = read('package-lock.json').packages
const packages = Object.entries(locked).filter(([path]) => path.includes('node_modules/'))

test('locks every package by its hash, independent of the registry', () => {
  const hash = expect.stringMatching(/^sha512-/)
  for (const [path, { integrity, resolved, link }] of packages)
    if (!link) expect([path, integrity, resolved]).toEqual([path, hash, undefined])
})

const scripts: Record<string, string> = read('package.json').scripts

test('runs setup before each npm command', () => {
  const commands = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name))
  for (const name of commands) expect(scripts[`pre${name}`]).toMatch(/^node scripts\/setup\.mjs/)
})
