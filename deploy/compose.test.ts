import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(file, 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const ignored = read('.dockerignore').split('\n')
const findAll = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

/** What the Dockerfile copies from the checkout, not from another stage. */
const findCopied = (text: string) =>
  findAll(text, /^COPY (?!--from)(.+) \S+$/gm).flatMap((line) => line.split(' '))

it('the Dockerfile copies what is there, and .dockerignore lets it through', () => {
  const copied = findCopied(dockerfile)
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
  // The first stage, which builds, stays behind.
  const copied = findCopied(dockerfile.split('\nFROM ').at(-1) ?? '')
  const inImage = (path: string) => copied.some((one) => path === one || path.startsWith(`${one}/`))
  const files = new Set(
    globSync('{leads,server,owner}/**/*.ts').filter((file) => !/\.(test|prove)\.ts$/.test(file)),
  )
  const { dependencies, imports } = JSON.parse(read('package.json'))
  const [list = ''] = dockerfile.match(/npm uninstall.*?\n\n/s) ?? []
  const removed = list.split(/\s+/)
  const used = new Set<string>()
  // Types are not looked for when it runs.
  for (const file of files)
    for (const name of findAll(
      read(file),
      /^(?!import type).*(?:from |import\()'([@#.a-z][\w@/.:-]*)'/gm,
    )) {
      if (name.startsWith('node:')) continue
      if (/^[#.]/.test(name)) {
        const path = name.startsWith('#') ? name.slice(1) : join(dirname(file), name)
        expect([file, name, inImage(path)]).toContain(true)
        // What these need of the site in turn is looked at, too.
        files.add(path)
      } else used.add(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? '')
    }
  expect(Object.keys(imports)).toContain('#server/*')
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
