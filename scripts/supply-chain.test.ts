import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Texts = Record<string, string>
type Package = Record<'version' | 'integrity' | 'resolved', string | undefined> &
  Partial<Record<'dev' | 'link' | 'hasInstallScript', boolean>>

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const lock: { packages: Record<string, Package> } = read('package-lock.json')
type Part =
  | 'dependencies'
  | 'devDependencies'
  | 'optionalDependencies'
  | 'overrides'
  | 'allowScripts'
const manifest: Record<Part, Texts> = read('package.json')
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)

describe('the packages', () => {
  it('are asked for by exact version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest
    const asked = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
    for (const [name, version] of Object.entries(asked))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)])
  })

  it('are locked to an exact version, to what it contains, and to no place to load it from', () => {
    expect(packages.length).toBeGreaterThan(50)
    for (const [path, { version, integrity, resolved, link }] of packages)
      expect({ path, version, integrity, resolved, link }).toEqual({
        path,
        version: expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
        integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
        resolved: undefined,
        link: undefined,
      })
  })

  it('that a start installs are few, counted for all processors together', () => {
    expect(packages.filter(([, { dev }]) => !dev).length).toBeLessThan(120)
  })

  it('run a script at installation only where package.json says yes or no to it', () => {
    const withScripts = packages.flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? nameOf(path) : [],
    )
    expect([...new Set(withScripts)].sort()).toEqual(Object.keys(manifest.allowScripts).sort())
  })
})
