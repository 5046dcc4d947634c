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

it('compose.yaml uses files that exist, and variables of .env.example', () => {
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

it('compose.yaml strips the trailing slash from addresses for Caddy', () => {
  const named = findAll(read('deploy/Caddyfile.container'), /^\{\$(\w+_URL)\} \{$/gm)
  expect(named).toEqual(['PUBLIC_URL', 'DESK_URL'])
  for (const name of named) expect(compose).toContain(`${name}="$$\{${name}%/}"`)
})

it('all services drop their capabilities', () => {
  const [, services = ''] = compose.split(/^services:$/m)
  for (const service of services.split(/^ {2}(?=\w+:$)/m).slice(1, 5))
    expect(service).toMatch(/<<: \*(guarded|site)$/m)
  expect(compose).toMatch(/cap_drop: \[ALL\]/)
})

it('both Caddyfiles forward requests the same way', () => {
  const readProxy = (file: string) => {
    const [, block = ''] = read(file).match(/^\treverse_proxy [^\n]*\{\n(.*?)^\t\}/ms) ?? []
    return block.split('\n').filter((line) => line.trim() && !line.trim().startsWith('#'))
  }
  const older = readProxy('deploy/Caddyfile').join('\n')
  const newer = older
    .replace(/\t\tbuffer_requests\n\t\tmax_buffer_size 32KiB/, '\t\trequest_buffers 32KiB')
    .replace(/\t\tlb_retry_match \{\n\t+expression .*\n\t\t\}\n/, '')
  expect(newer).not.toBe(older)
  expect(readProxy('deploy/Caddyfile.container').join('\n')).toBe(newer)
})
