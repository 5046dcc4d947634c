import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(file, 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const ignored = read('.dockerignore').split('\n')
const findAll = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

/** What is copied from the checkout, not from another stage. */
const listCopied = (text: string) =>
  findAll(text, /^COPY (?!--from)(.+) \S+$/gm).flatMap((line) => line.split(' '))
const copied = listCopied(dockerfile)

it('the Dockerfile copies what is there, and .dockerignore lets it through', () => {
  expect(copied).toContain('server')
  for (const path of copied) {
    expect([path, existsSync(path)]).toEqual([path, true])
    const isLet = ignored.some((line) => line === `!${path}` || `!${path}`.startsWith(`${line}/`))
    expect([path, isLet]).toEqual([path, true])
  }
  expect(ignored).toContain('*')
  const letIn = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(letIn.filter((path) => !existsSync(path))).toEqual([])
  expect(letIn.filter((path) => /^\.env|node_modules|dist|data/.test(path))).toEqual([])
})

it('the image has every file that runs, and every package', () => {
  const last = listCopied(dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')))
  const inImage = (path: string) => last.some((one) => path === one || path.startsWith(`${one}/`))
  const { dependencies, scripts } = JSON.parse(read('package.json'))
  const [list = ''] = dockerfile.match(/npm uninstall.*?\n\n/s) ?? []
  const removed = list.split(/\s+/)
  const entries = findAll(Object.values(scripts).join('\n'), /((?:server|owner)\/[\w-]+\.ts)/g)
  expect(entries).toContain('server/main.ts')
  const files = new Set(entries)
  const used = new Set<string>()
  // What is found on the way is gone through, too.
  for (const file of files) {
    expect([file, inImage(file)]).toEqual([file, true])
    // Types are not looked for when it runs.
    for (const name of findAll(
      read(file),
      /^(?!import type|.*typeof import).*(?:from |import\(|resolve\()'([^']+)'/gm,
    )) {
      if (name.startsWith('.')) files.add(join(dirname(file), name))
      else if (name.startsWith('#')) files.add(name.slice(1))
      else if (!name.startsWith('node:')) used.add(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? '')
    }
  }
  const kept = Object.keys(dependencies).filter((name) => !removed.includes(name))
  expect(kept.sort()).toEqual([...used].sort())
})

it('compose.yaml names files that are there, and variables of .env.example', () => {
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
  // Each that changes the page is handed to the build.
  const built = findAll(dockerfile, /^ARG (\S+)/gm)
  expect(findAll(compose, /^ {8}([A-Z_]+): \$\{\1:-\}$/gm)).toEqual(built)
  for (const name of known.filter((one) => one.startsWith('VITE_'))) expect(built).toContain(name)
})

it('addresses reach Caddy without a slash at the end', () => {
  const named = findAll(read('deploy/Caddyfile.container'), /^\{\$(\w+_URL)\} \{$/gm)
  expect(named).toEqual(['PUBLIC_URL', 'DESK_URL'])
  for (const name of named) expect(compose).toContain(`${name}="$$\{${name}%/}"`)
})

it('what guards the services stands for all of them', () => {
  const [, services = ''] = compose.split(/^services:$/m)
  for (const service of services.split(/^ {2}(?=\w+:$)/m).slice(1, 5))
    expect(service).toMatch(/<<: \*(guarded|site)$/m)
  expect(compose).toMatch(/cap_drop: \[ALL\]/)
})

it('both Caddyfiles pass leads on alike', () => {
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
