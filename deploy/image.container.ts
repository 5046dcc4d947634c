import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postLead, testLead } from '#testing/app.ts'
import { findFreePort, waitUntil } from '#testing/processes.ts'

// `npm run test:container` builds the image and runs it as compose.yaml does, with podman and runc. It is not
// part of `npm run test:slow`, because many machines do not allow nested containers.

const names = { first: 'roofing-site:first', second: 'roofing-site:second' }
const container = `roofing-test-${process.pid}`
const volume = `${container}-data`

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
const podman = (...args: string[]) => run('podman', '--runtime', 'runc', ...args)

// Remove the digests, because testing/base-images builds images with the same names but different digests.
const dockerfile = join(mkdtempSync(join(tmpdir(), 'dockerfile-')), 'Dockerfile')
writeFileSync(dockerfile, readFileSync('Dockerfile', 'utf8').replaceAll(/@sha256:\w+/g, ''))

/** Uses chroot isolation, which works without cgroups. */
const build = (tag: string, ...args: string[]) =>
  run(
    'buildah',
    ...['build', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers'],
    ...['--file', dockerfile],
    // Podman's default image format drops the health check.
    ...['--format', 'docker', '--tag', tag, ...args, '.'],
  )

/** Runs an image as compose.yaml does, but on the host network, because a bridge needs more privileges. */
async function start(image: string, ...options: string[]) {
  const [port, deskPort] = [await findFreePort(), await findFreePort()]
  podman(
    ...['run', '--detach', '--name', container, '--network', 'host'],
    ...['--read-only', '--read-only-tmpfs=false', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--volume', `${volume}:/data`],
    ...['--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096'],
    ...['--env', `PORT=${port}`, '--env', `DESK_PORT=${deskPort}`],
    ...options,
    image,
  )
  const url = `http://127.0.0.1:${port}`
  await waitUntil(() => isReady(`${url}/readyz`), 60_000)
  return { url, deskUrl: `http://127.0.0.1:${deskPort}` }
}

const isReady = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const exec = (...args: string[]) => podman('exec', container, ...args)
const inspect = (format: string) => podman('inspect', '--format', format, container)
const listNames = () => exec('node', 'cli/leads.ts', 'export').match(/\b(Before|After)\b/g)
const remove = () => podman('rm', '--force', '--ignore', container)

beforeAll(() => {
  run('testing/base-images')
  build(names.first)
  build(names.second, '--build-arg', 'SUPABASE_ANON_KEY=second-key')
}, 1_800_000)

afterAll(() => {
  remove()
  podman('volume', 'rm', '--force', volume)
  rmSync(dirname(dockerfile), { recursive: true })
})

test('the image is small and has no build or test tools', () => {
  const bytes = Number(podman('image', 'inspect', '--format', '{{.Size}}', names.first))
  process.stdout.write(`Image size: ${Math.round(bytes / 1e6)} MB\n`)
  expect(bytes).toBeLessThan(250e6)
  const folder = run('podman', 'image', 'mount', names.first)
  try {
    const find = (...tests: string[]) => run('find', folder, '-xdev', ...tests)
    const tools = 'vite rolldown lightningcss typescript react-dom @playwright/test npm'
    for (const name of tools.split(' '))
      expect(find('-path', `*/node_modules/${name}/package.json`)).toBe('')
    // Ignore packages, because they may contain tests.
    const ours = ['-not', '-path', '*/node_modules/*', '-name']
    for (const name of ['*.test.ts', '.env*']) expect(find(...ours, name)).toBe('')
    expect(find('-path', '*/app/node_modules/kysely')).not.toBe('')
  } finally {
    run('podman', 'image', 'unmount', names.first)
  }
})

test('the container runs without root on a read-only file system and is healthy', async () => {
  const { url, deskUrl } = await start(names.first)
  expect((await fetch(url)).status).toBe(200)
  expect((await fetch(deskUrl)).status).toBe(200)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(exec('id', '-u')).toBe('10001')
  expect(() => exec('touch', '/app/dist/x')).toThrow('Read-only file system')
  expect(exec('grep', 'CapEff', '/proc/self/status')).toMatch(/\t0+$/)
  // Podman relies on systemd to schedule health checks.
  podman('healthcheck', 'run', container)
  expect(inspect('{{.State.Health.Status}}')).toBe('healthy')
  expect(exec('node', 'cli/backup.ts')).toContain('Backed up')
  remove()
})

test('a lead survives kill -9 and a new image', async () => {
  const before = await start(names.first)
  expect((await postLead(before.url, { ...testLead, name: 'Before' })).status).toBe(200)
  podman('kill', '--signal', 'KILL', container)
  remove()
  const after = await start(names.second)
  expect(listNames()).toEqual(['Before'])
  expect((await postLead(after.url, { ...testLead, name: 'After' })).status).toBe(200)
  podman('kill', '--signal', 'KILL', container)
  podman('start', container)
  await waitUntil(() => isReady(`${after.url}/readyz`))
  expect(listNames()?.sort()).toEqual(['After', 'Before'])
  remove()
})

test.each(['0', '1'])(
  'the container exits on SIGTERM with %s proxies in front',
  async (proxies) => {
    await start(names.first, '--env', `TRUSTED_PROXIES=${proxies}`)
    const startAt = Date.now()
    podman('stop', '--time', '30', container)
    const ms = Date.now() - startAt
    process.stdout.write(`SIGTERM with ${proxies} proxies: ${(ms / 1000).toFixed(1)} s.\n`)
    expect(ms).toBeLessThan(10_000)
    expect(inspect('{{.State.ExitCode}}')).toBe('0')
    remove()
  },
)
