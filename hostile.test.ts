import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anonKey, createHostileTarget, tryRequests } from './bench/hostile-requests.ts'
import { attack, attacks, findSocketFault, mangle, pipeline } from './bench/hostile-sockets.ts'
import { createRandom } from './bench/random.ts'
import { parseCommand, runLeads } from './leads.ts'
import { createLocation, engines, openTestDatabase } from './testing/database.ts'
import { spawnServer } from './testing/server-process.ts'

// The short form of `npm run bench:hostile`: a new seed each time; a failure names it.
const seed = Date.now() % 1_000_000

describe.each(engines)('the function on %s', (engine) => {
  it('answers whatever it is sent, and stores only what a lead may be', async () => {
    const { findFault, statuses } = createHostileTarget(await openTestDatabase(engine))
    expect(await tryRequests(findFault, 1_500, seed)).toBeUndefined()
    // The requests are strange, but not so strange that they all end at the same door.
    const reached = [...statuses.keys()]
    expect(reached).toEqual(
      expect.arrayContaining([200, 202, 204, 303, 400, 401, 404, 405, 413, 415, 422]),
    )
  }, 60_000)
})

describe('the server', () => {
  it('answers whatever comes over a connection, and serves the next', async () => {
    const { dataDir } = await createLocation('sqlite')
    const server = spawnServer({
      DATA_DIR: dataDir,
      SUPABASE_ANON_KEY: anonKey,
      RATE_LIMIT_PER_MINUTE: '0',
    })
    const url = await server.findUrl()
    const named = Object.entries(attacks).map(([name, one]) => findSocketFault(url, name, one))
    expect((await Promise.all(named)).filter(Boolean)).toEqual([])
    expect(await pipeline(url, 50)).toEqual(Array.from({ length: 50 }, () => 200))
    const random = createRandom(seed)
    for (let at = 0; at < 200; at++) {
      const request = mangle(random)
      const statuses = await attack(url, request)
      const text = Buffer.from(request.text).toString('latin1')
      expect([statuses.filter((status) => status >= 500), text]).toEqual([[], text])
    }
    expect((await fetch(url)).status).toBe(200)
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(server.output.stderr).not.toMatch(/failed unexpectedly|can be stored/)
  }, 60_000)
})

describe('the command line', () => {
  // Those that write files get no arguments from here.
  const names = ['list', 'show', 'retry', 'erase', 'promise', 'setup-airtable', 'help', '']
  const options = [
    '--json',
    '--limit',
    '--days',
    '--from',
    '--to',
    '--yes',
    '--store-only',
    '--',
    '-',
  ]
  const argument = fc.oneof(
    fc.constantFrom(...names, ...options, 'all', '0', '-1', '1e9', 'NaN', '2026-02-30', '%', "'"),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }).map((text) => `--${text}`),
    fc.string({ unit: 'binary' }).map((text) => `--limit=${text}`),
  )

  it('understands or refuses whatever is typed, in one sentence and without insides', async () => {
    const db = await openTestDatabase('sqlite')
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 6 }), async (args) => {
        if (writesFile(args)) return
        let said = ''
        const code = await runLeads(args, {
          open: async () => ({ db: { ...db, close: async () => {} }, airtable: undefined }),
          stdout: () => {},
          stderr: (text) => {
            said += text
          },
          fetch: async () => new Response(),
          pause: async () => {},
          now: () => Date.parse('2026-11-15T12:00:00Z'),
        })
        expect([0, 1, 2]).toContain(code)
        expect(said).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(|SQLITE|undefined/)
        // What was typed may come back, but nothing that moves a terminal's cursor.
        expect(said).not.toMatch(/(?!\n)\p{Cc}/u)
        if (code === 0) expect(said).toBe('')
        else expect(said.trim()).not.toBe('')
      }),
      { numRuns: 2_000 },
    )
  }, 30_000)

  function writesFile(args: string[]): boolean {
    try {
      const command = parseCommand(args)
      return command !== 'help' && (command.name === 'export' || command.html !== undefined)
    } catch {
      return false
    }
  }
})
