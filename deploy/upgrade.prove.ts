import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDir } from '#testing/database.ts'

// They stand for the machine: a process runs the release that was `current` when it was restarted,
// and answers if that release has the file `runs`.
const commands = {
  systemctl: `echo "systemctl $*" >> "$ROOFING_HOME/done"
case $1 in
  list-units) [ -z "$PORTS" ] || printf 'roofing-site@%s.service loaded active running\\n' $PORTS ;;
  show) echo "$RESTARTS" ;;
  restart) port=\${2#roofing-site}; readlink "$ROOFING_HOME/current" > "$ROOFING_HOME/running\${port:-@3000}" ;;
esac`,
  curl: `for url; do :; done
port=\${url#*//*:}
[ -e "$ROOFING_HOME/$(cat "$ROOFING_HOME/running@\${port%%/*}")/runs" ]`,
  runuser: `echo "backup of $(basename "$(pwd -P)")" >> "$ROOFING_HOME/done"`,
  sleep: '',
  // Releases of one second would have one name.
  date: `echo >> "$ROOFING_HOME/../seconds"; echo "20261115T00000$(wc -l < "$ROOFING_HOME/../seconds")Z"`,
}

const write = (file: string, text = '') => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A machine as docs/hosting.md prepares it, with a repository of which each version is one file. */
function prepare(ports = '') {
  const root = createDir()
  const [home, source, bin] = [join(root, 'home'), join(root, 'source'), join(root, 'bin')]
  mkdirSync(join(home, 'releases'), { recursive: true })
  for (const [name, text] of Object.entries(commands)) {
    write(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', source, ...identity, ...args], { encoding: 'utf8' }).trim()
  const publish = (changes: Record<string, string> = {}) => {
    const { runs = 'yes', ...files } = { version: String(Math.random()), ...changes }
    for (const [name, text] of Object.entries(files)) write(join(source, name), text)
    rmSync(join(source, 'runs'), { force: true })
    if (runs === 'yes') write(join(source, 'runs'))
    git('add', '-A')
    git('commit', '--quiet', '-m', 'version')
    return git('rev-parse', '--short', 'HEAD')
  }
  cpSync('deploy/rolling-restart', join(source, 'deploy/rolling-restart'))
  git('init', '--quiet')
  const first = publish({
    'scripts/setup.mjs': `import { existsSync, mkdirSync } from 'node:fs'
      mkdirSync('node_modules', { recursive: true })
      if (existsSync('unbuildable')) process.exit(1)`,
    'supabase/migrations/1_leads.sql': '',
  })
  execFileSync('git', ['clone', '--quiet', source, join(home, 'repo')])
  write(join(home, '.env'))
  for (const port of ports.split(' ').filter(Boolean)) write(join(home, `running@${port}`), 'none')

  const upgrade = (args: string[] = [], { restarts = '0' } = {}) => {
    rmSync(join(home, 'done'), { force: true })
    const { PATH } = process.env
    const env = { ROOFING_HOME: home, PORTS: ports, RESTARTS: restarts, PATH: `${bin}:${PATH}` }
    const options = { env: { ...process.env, ...env }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('deploy/upgrade', args, options)
    const done = existsSync(join(home, 'done')) ? readFileSync(join(home, 'done'), 'utf8') : ''
    return { status, stdout, stderr, done }
  }
  const findCommit = (link: string) => link.split('-').at(-1)?.trim()
  return {
    home,
    first,
    publish,
    upgrade,
    findCurrent: () => findCommit(readlinkSync(join(home, 'current'))),
    findRunning: (port = 3000) => findCommit(readFileSync(join(home, `running@${port}`), 'utf8')),
  }
}

describe.skipIf(process.platform !== 'linux')('deploy/upgrade', () => {
  it('puts in the first version, then the newest, after a backup by the one before', () => {
    const { upgrade, publish, first, findCurrent, findRunning } = prepare()
    expect(upgrade()).toMatchObject({ status: 0, stdout: `${first} is live.\n` })
    expect([findCurrent(), findRunning()]).toEqual([first, first])
    const second = publish()
    const { status, done } = upgrade()
    expect([status, findCurrent(), findRunning()]).toEqual([0, second, second])
    expect(done).toMatch(new RegExp(`^backup of \\S+-${first}\n.*restart`, 's'))
  })

  it('puts in the commit that is asked for, refuses one that is not there, and changes nothing if the build fails', () => {
    const { upgrade, publish, first, findCurrent, home } = prepare()
    publish()
    expect(upgrade([first])).toMatchObject({ status: 0, stdout: `${first} is live.\n` })
    expect(findCurrent()).toBe(first)
    const { status, done } = upgrade(['no-such-commit'])
    expect([status === 0, done]).toEqual([false, ''])
    publish({ unbuildable: 'yes' })
    expect(upgrade()).toMatchObject({ status: 1, done: '' })
    expect(findCurrent()).toBe(first)
    expect(readdirSync(home)).not.toContain('current.next')
  })

  it.each([
    ['does not answer', { runs: 'no' }, '0'],
    ['only seems to, because another program has its port', {}, '3'],
  ])('puts the version before back if the new one %s', (_, changes, restarts) => {
    const { upgrade, publish, first, findCurrent, findRunning } = prepare()
    upgrade()
    const second = publish(changes)
    const { status, stderr, stdout } = upgrade([], { restarts })
    expect([status, stdout.includes('is live')]).toEqual([1, false])
    expect(stderr).toContain(`${second} does not run.`)
    expect([findCurrent(), findRunning()]).toEqual([first, first])
    if (restarts === '0') expect(stderr).toContain('The version before is live again')
  })

  it('leaves one in place that may have migrated the database, and says how to go back', () => {
    const { upgrade, publish, home, first, findCurrent } = prepare()
    upgrade()
    const second = publish({ runs: 'no', 'supabase/migrations/2_more.sql': '' })
    const { status, stderr } = upgrade()
    expect([status, findCurrent()]).toEqual([1, second])
    expect(stderr).toMatch(
      new RegExp(`cd ${home} && ln -sfn releases/\\S+-${first} current && systemctl restart`),
    )
  })

  it('says so if the very first version does not run', () => {
    const { upgrade, publish, findCurrent } = prepare()
    const commit = publish({ runs: 'no' })
    const { status, stderr } = upgrade()
    expect([status, stderr.startsWith(`${commit} does not run.`)]).toEqual([1, true])
    expect(stderr).toContain('then run this again')
    // It has made no database that could be backed up: the next try is a first one, too.
    const fixed = publish()
    expect(upgrade()).toMatchObject({ status: 0, done: expect.not.stringContaining('backup') })
    expect(findCurrent()).toBe(fixed)
  })

  it('does not pass over words that were changed on the server', () => {
    const { upgrade, home } = prepare()
    write(join(home, 'repo/version'), 'Zebra Roofing')
    const { status, stderr, done } = upgrade()
    expect([status, done]).toEqual([1, ''])
    expect(stderr).toContain('commit and push them')
  })

  it('with several processes, puts all of them back when one does not come up', () => {
    const { upgrade, publish, home, first, findCurrent, findRunning } = prepare('3001 3002')
    // The units were started by hand, as the guide has it.
    write(join(home, 'releases/by-hand/runs'))
    for (const port of [3001, 3002]) write(join(home, `running@${port}`), 'releases/by-hand')
    expect(upgrade().status).toBe(0)
    expect([findRunning(3001), findRunning(3002)]).toEqual([first, first])
    publish({ runs: 'no' })
    const { status, stderr } = upgrade()
    expect(status).toBe(1)
    expect(stderr).toContain('The version before is live again')
    expect([findCurrent(), findRunning(3001), findRunning(3002)]).toEqual([first, first, first])
  })

  it('gives the build the files that pages of the version before may still ask for', () => {
    const { upgrade, publish, home } = prepare()
    upgrade()
    const asset = 'dist/assets/main-abc.js'
    write(join(home, 'current', asset), 'code')
    write(join(home, 'current/dist/index.html'), 'page')
    publish()
    expect(upgrade().status).toBe(0)
    expect(readdirSync(join(home, 'current/dist'))).toEqual(['assets'])
    write(join(home, 'current', asset), 'changed')
    const [before = ''] = readdirSync(join(home, 'releases'))
    expect(readFileSync(join(home, 'releases', before, asset), 'utf8')).toBe('code')
  })

  it('keeps the last three versions', () => {
    const { upgrade, publish, home, findCurrent } = prepare()
    for (let at = 0; at < 5; at++) {
      publish()
      upgrade()
    }
    const kept = readdirSync(join(home, 'releases'))
    expect(kept).toHaveLength(3)
    expect(kept.at(-1)).toContain(findCurrent())
  })
})
