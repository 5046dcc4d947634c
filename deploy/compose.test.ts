import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(file, 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const ignored = read('.dockerignore').split('\n')
const findAll = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Paths that the image copies from the checkout. */
const copied = findAll(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((line) => line.split(' '))

it('the Dockerfile copies paths that exist and that .dockerignore allows', () => {
  expect(copied).toContain('server')
  for (const path of copied) {
    expect([path, existsSync(path)]).toEqual([path, true])
    const isAllowed = ignored.some(
      (line) => line === `!${path}` || `!${path}`.startsWith(`${line}/`),
    )
    expect([path, isAllowed]).toEqual([path, true])
  }
  expect(ignored).toContain('*')
  const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(allowed.filter((path) => !existsSync(path))).toEqual([])
  expect(allowed.filter((path) => /^\.env|node_modules|dist|data/.test(path))).toEqual([])
})

it('compose.yaml uses existing files and variables from .env.example', () => {
  const files = findAll(compose, /^ +- (\.\/[^:]+):/gm)
  expect(files).toContain('./deploy/Caddyfile.container')
  expect(files.filter((file) => !existsSync(file))).toEqual([])
  const known = findAll(read('.env.example'), /^([A-Z_]+)=/gm)
  const named = [
    ...findAll(compose, /\$\{([A-Z_]+)/g),
    ...findAll(dockerfile, /^ARG (\S+)/gm),
    ...findAll(dockerfile, /\b([A-Z_]+)=(?=\S)/g),
  ]
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
  // Variables that change the page are build arguments.
  const built = findAll(dockerfile, /^ARG (\S+)/gm)
  expect(findAll(compose, /^ {8}([A-Z_]+): \$\{\1:-\}$/gm)).toEqual(built)
  for (const name of known.filter((one) => one.startsWith('VITE_'))) expect(built).toContain(name)
})

it('both Caddyfiles forward requests the same way, with the same limits for site and desk', () => {
  const readBlocks = (file: string) => {
    const blocks = read(file).matchAll(
      /^(?<indent>\t?)(\(limits\)|reverse_proxy [^\n]*) \{\n(?<body>.*?)^\k<indent>\}/gms,
    )
    const lines = [...blocks].flatMap(({ groups }) => groups?.body?.split('\n') ?? [])
    return lines.map((line) => line.trim()).filter((line) => line && !line.startsWith('#'))
  }
  const older = readBlocks('deploy/Caddyfile')
  expect(older.filter((line) => line === 'import limits')).toHaveLength(2)
  const newer = older
    .join('\n')
    .replace('buffer_requests\nmax_buffer_size 32KiB', 'request_buffers 32KiB')
    .replace(/lb_retry_match \{\nexpression .*\n\}\n/, '')
  expect(newer).not.toBe(older.join('\n'))
  expect(readBlocks('deploy/Caddyfile.container').join('\n')).toBe(newer)
})
