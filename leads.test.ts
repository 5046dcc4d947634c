import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { explainUnwritten, type LeadsDeps } from './owner/leads-command.ts'
import { runLeads } from './owner/run-leads.ts'
import { measureText } from './owner/terminal.ts'
import { openDatabase } from './server/database.ts'
import {
  type AirtableSettings,
  sendToAirtable,
} from './supabase/functions/submit-to-airtable/airtable.ts'
import { listReceivers } from './supabase/functions/submit-to-airtable/channels.ts'
import { readEnv } from './supabase/functions/submit-to-airtable/env.ts'
import type { Lead } from './supabase/functions/submit-to-airtable/lead.ts'
import {
  acquireChannel,
  claimDue,
  type Database,
  findLead,
  listLeads,
  recordAnswer,
  releaseChannel,
  saveLead,
  settleDeliveries,
} from './supabase/functions/submit-to-airtable/store.ts'
import { startAirtableStandIn } from './testing/airtable-stand-in.ts'
import { createLocation, engines, openTestDatabase } from './testing/database.ts'

const startAt = Date.parse('2026-11-15T12:00:00Z')

const jane: Lead = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '123 Main St, Springfield, IL 62701',
  serviceType: 'roof-repair',
}

let saved = 0
async function save(
  db: Database,
  changed: Partial<Lead> = {},
  channels = ['airtable'],
  source: string | null = null,
) {
  saved += 1
  const result = await saveLead(
    db,
    {
      lead: { ...jane, ...changed },
      details: { suspect: null, consent: null, source },
      bodyHash: String(saved),
      clientAddress: `client-${saved}`,
      idempotencyKeys: [],
      channels,
    },
    { now: startAt + saved * 60_000, limitPerMinute: 10 },
  )
  if (result.outcome !== 'saved') throw new Error(result.outcome)
  return result.leadId
}

/** The command line on a test's database, with what it wrote and the clock that its pauses move. */
function createCommandLine(db: Database, changed: Partial<LeadsDeps> = {}) {
  let clockMs = startAt + 24 * 3_600_000
  const state = { airtable: undefined as AirtableSettings | undefined }
  return {
    state,
    now: () => clockMs,
    pause: async (ms: number) => {
      clockMs += ms
    },
    async run(...args: string[]) {
      let out = ''
      let err = ''
      const code = await runLeads(args, {
        open: async () => ({ db: { ...db, close: async () => {} }, airtable: state.airtable }),
        stdout: (text) => {
          out += text
        },
        stderr: (text) => {
          err += text
        },
        fetch,
        pause: async (ms) => {
          clockMs += ms
        },
        now: () => clockMs,
        timeZone: 'UTC',
        ...changed,
      })
      return { code, out, err }
    },
  }
}

/** Claims and settles what is due, as the running site does. */
async function deliver(
  db: Database,
  settle: (leadId: string) => { ok: true } | { ok: false; error: string },
) {
  const now = startAt + 20 * 3_600_000
  const lease = { holder: 'site', now, until: now + 45_000 }
  const claimed = await claimDue(db, 'airtable', 100, lease)
  const settlements = claimed.map(({ lead }) => ({
    leadId: lead.id,
    occasion: 'received' as const,
    nextAttemptAt: now + 900_000,
    ...settle(lead.id),
  }))
  await settleDeliveries(db, 'airtable', settlements, { holder: 'site', now })
}

async function startAirtable() {
  let clockMs = startAt
  const standIn = await startAirtableStandIn({
    now: () => {
      clockMs += 250
      return clockMs
    },
  })
  onTestFinished(() => standIn.close())
  return { standIn, settings: standIn.airtable }
}

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'leads-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.each(engines)('on %s', (engine) => {
  test('the list shows the newest first, with the state of each delivery', async () => {
    const db = await openTestDatabase(engine)
    const first = await save(db, { name: 'First Lead' })
    await deliver(db, () => ({ ok: true }))
    const second = await save(db, { name: 'Second Lead', serviceType: '' })
    await deliver(db, () => ({ ok: false, error: 'Airtable answered 503.' }))
    const third = await save(db, { name: 'Third Lead' }, ['airtable', 'email'])
    const { code, out } = await createCommandLine(db).run()
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[1]).toMatch(`${third.slice(0, 8)}  Nov 15, 12:`)
    expect(lines[1]).toContain('airtable waits, email waits')
    expect(lines[2]).toContain(second.slice(0, 8))
    expect(lines[2]).toContain('airtable waits (tried 1×)')
    expect(lines[3]).toContain(first.slice(0, 8))
    expect(lines[3]).toMatch(/Roof Repair\s+(NOT YET|\d min left)\s+airtable ✓/)
    expect(out).toContain('2 leads wait for airtable')
    expect(out).toContain('Last error: Airtable answered 503.')
    expect(out).toContain('Airtable is not set up')
  })

  test('the list says of each lead whether somebody has called', async () => {
    const db = await openTestDatabase(engine)
    const called = await save(db, { name: 'Called Lead' })
    const { receivedAt = 0 } = (await findLead(db, called)) ?? {}
    await recordAnswer(db, called, {
      answeredAt: receivedAt + 150_000,
      answeredBy: 'link',
      now: receivedAt + 150_000,
    })
    const fresh = await save(db, { name: 'Fresh Lead' })
    const { out } = await createCommandLine(db).run()
    const lineOf = (id: string) => out.split('\n').find((line) => line.startsWith(id.slice(0, 8)))
    expect(lineOf(called)).toContain('  2 min  ')
    expect(lineOf(fresh)).toMatch(/NOT YET|\d min left/)
  })

  test('an empty store says so', async () => {
    const db = await openTestDatabase(engine)
    expect((await createCommandLine(db).run()).out).toContain('No leads yet.')
    expect(JSON.parse((await createCommandLine(db).run('--json')).out)).toEqual({
      total: 0,
      leads: [],
    })
  })

  test('--limit and --json do what they say', async () => {
    const db = await openTestDatabase(engine)
    for (let lead = 0; lead < 3; lead++) await save(db)
    const { run } = createCommandLine(db)
    const { out } = await run('--limit', '2')
    expect(out).toContain('The latest 2 of 3 leads; --limit 3 shows all.')
    const json = JSON.parse((await run('--json', '--limit', '2')).out)
    expect(json).toMatchObject({ total: 3, leads: [{ name: 'Jane Doe' }, { email: jane.email }] })
    expect(json.leads[0].receivedAt).toMatch(/^2026-11-15T\d\d:\d\d:00\.000Z$/)
    expect(json.leads[0].deliveries).toMatchObject([{ channel: 'airtable', state: 'waiting' }])
  })

  test('a unique beginning of the ID finds the lead; an ambiguous or unknown one is said so', async () => {
    const db = await openTestDatabase(engine)
    const id = await save(db)
    const twin = `${id.slice(0, 35)}${id.endsWith('0') ? '1' : '0'}`
    const { run } = createCommandLine(db)
    expect((await run('show', id.slice(0, 6).toUpperCase())).out).toContain(id)
    expect(JSON.parse((await run('show', id, '--json')).out)).toMatchObject({ id, ...jane })
    await db.kysely
      .insertInto('leads')
      .values({
        id: twin,
        name: 'Twin',
        email: 't@example.com',
        phone: '5551234567',
        address: 'x',
        service_type: '',
        received_at: startAt,
        client_address: '',
        body_hash: '',
        idempotency_key: null,
      })
      .execute()
    expect(await run('show', id.slice(0, 10))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Several leads/),
    })
    expect((await run('show', id)).code).toBe(0)
    expect(await run('show', "no'such%")).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no lead'),
    })
  })

  test('show tells the whole story of a delivery', async () => {
    const db = await openTestDatabase(engine)
    const id = await save(db)
    await deliver(db, () => ({ ok: false, error: 'Airtable did not answer in time.' }))
    const { run, now } = createCommandLine(db)
    const waiting = (await run('show', id)).out
    expect(waiting).toMatch(/airtable\s+waits \(tried 1 time\), next try 2026-11-1\d/)
    expect(waiting).toContain('Last error: Airtable did not answer in time.')
    await settleDeliveries(
      db,
      'airtable',
      [{ leadId: id, occasion: 'received', ok: true, note: 'Airtable does not take Phone.' }],
      { holder: 'site', now: now() },
    )
    const sent = (await run('show', id)).out
    expect(sent).toMatch(/airtable\s+sent 2026-11-16 12:00/)
    expect(sent).toContain('Airtable does not take Phone.')
  })

  test('show names who is behind each channel', async () => {
    const db = await openTestDatabase(engine)
    const id = await save(db, {}, ['airtable', 'email', 'email-2'])
    const settings = readEnv({
      SMTP_URL: 'smtps://mail.example',
      ALERT_EMAIL_FROM: 'site@example.com',
      ALERT_EMAIL_TO: 'office@example.com,roofer@example.com',
    })
    const receivers = listReceivers(settings)
    const { run } = createCommandLine(db, {
      open: async () => ({ db: { ...db, close: async () => {} }, airtable: undefined, receivers }),
    })
    const { out } = await run('show', id)
    expect(out).toMatch(/^airtable +waits/m)
    expect(out).toMatch(/^email \(now office@example\.com\) +waits/m)
    expect(out).toMatch(/^email-2 \(now roofer@example\.com\) +waits/m)
  })

  test('export writes every lead, safe for a spreadsheet, for the owner’s eyes only', async () => {
    const db = await openTestDatabase(engine)
    const file = join(makeFolder(), 'leads.csv')
    await save(db, { name: '=HYPERLINK("http://x","y")', phone: '+1 555 123 4567' })
    await save(db, { name: 'Zoë 李 🏠', address: 'Line, with comma' })
    const { run } = createCommandLine(db)
    expect(await run('export', file)).toMatchObject({
      code: 0,
      out: `2 leads written to ${file}.\n`,
    })
    const text = readFileSync(file, 'utf8')
    expect(text.startsWith('\uFEFFLead ID,Received At,Name')).toBe(true)
    const lines = text.slice(1).trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain(
      ',Zoë 李 🏠,jane@example.com,(555) 123-4567,"Line, with comma",Roof Repair,,,,,,airtable waiting',
    )
    expect(lines[2]).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`)
    expect(lines[2]).toContain(",'+1 555 123 4567,")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('where a lead came from stands in list, show and export', async () => {
    const db = await openTestDatabase(engine)
    const { run } = createCommandLine(db)
    const source = 'utm_source=google&utm_medium=cpc&utm_campaign=%3DHYPERLINK(1)'
    const id = await save(db, {}, [], source)
    expect((await run()).out).toContain('Google Ads · =HYPER')
    expect((await run('show', id)).out).toMatch(
      /From +Google Ads · =HYPERLINK\(1\) \(utm_source google, utm_medium cpc, /,
    )
    expect(JSON.parse((await run('show', id, '--json')).out).source).toEqual({
      name: 'Google Ads · =HYPERLINK(1)',
      utm_source: 'google',
      utm_medium: 'cpc',
      utm_campaign: '=HYPERLINK(1)',
    })
    const file = join(makeFolder(), 'leads.csv')
    await run('export', file)
    expect(readFileSync(file, 'utf8')).toContain(`Google Ads · =HYPERLINK(1),${source}`)
    expect((await run('promise', '--days', '9')).out).toContain('Google Ads · =HYPERLINK(1)')
    expect((await run('erase', id, '--yes')).code).toBe(0)
    expect((await run('promise', '--days', '9')).out).not.toContain('HYPERLINK')
  })

  test('export pages through more leads than one page holds', async () => {
    const db = await openTestDatabase(engine)
    const file = join(makeFolder(), 'leads.csv')
    const rows = Array.from({ length: 1201 }, (_, index) => ({
      id: `lead-${index}`,
      name: `Lead ${index}`,
      email: 'a@example.com',
      phone: '5551234567',
      address: 'x',
      service_type: '' as const,
      // Many at the same moment: the page break falls between them.
      received_at: startAt + Math.floor(index / 400),
      client_address: '',
      idempotency_key: null,
      body_hash: '',
    }))
    for (let start = 0; start < rows.length; start += 500)
      await db.kysely
        .insertInto('leads')
        .values(rows.slice(start, start + 500))
        .execute()
    expect((await createCommandLine(db).run('export', file)).out).toContain('1201 leads')
    const ids = readFileSync(file, 'utf8').trimEnd().split('\r\n').slice(1)
    expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(1201)
  })

  test('retry makes waiting deliveries due now, of one lead or all', async () => {
    const db = await openTestDatabase(engine)
    const [one] = [await save(db), await save(db), await save(db)]
    await deliver(db, (leadId) => (leadId === one ? { ok: true } : { ok: false, error: 'x' }))
    const { run, now } = createCommandLine(db)
    expect((await run('retry', one ?? '')).out).toContain('Nothing of this lead waits.')
    expect((await run('retry', 'all')).out).toContain('2 deliveries are due now')
    const leads = await listLeads(db, { limit: 10 })
    const waiting = leads.flatMap(({ deliveries }) =>
      deliveries.filter(({ state }) => state === 'waiting'),
    )
    expect(waiting.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([now(), now()])
    expect(JSON.parse((await run('retry', 'all', '--json')).out)).toEqual({ due: 2 })
  })

  describe('erase', () => {
    test('forgets the lead here and in Airtable, and no other', async () => {
      const db = await openTestDatabase(engine)
      const { standIn, settings } = await startAirtable()
      const line = createCommandLine(db)
      line.state.airtable = settings
      const [gone, stays] = [await save(db), await save(db)]
      const leads = await listLeads(db, { limit: 10 })
      await sendToAirtable(leads, settings, { fetch, pause: line.pause })
      await deliver(db, () => ({ ok: true }))
      const { code, out } = await line.run('erase', gone, '--yes')
      expect(code).toBe(0)
      expect(out).toContain('Erased in Airtable: 1 row.')
      expect(await findLead(db, gone)).toBeUndefined()
      expect(await findLead(db, stays)).toBeDefined()
      expect(standIn.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays])
      const next = { holder: 'site', now: line.now(), until: line.now() + 1 }
      expect(await acquireChannel(db, 'airtable', next)).toBe(true)
    })

    test('forgets nothing while Airtable cannot be reached, and says what to do', async () => {
      const db = await openTestDatabase(engine)
      const line = createCommandLine(db)
      const id = await save(db)
      await deliver(db, () => ({ ok: true }))
      line.state.airtable = {
        token: 't',
        baseId: 'b',
        table: 'Leads',
        apiUrl: 'http://127.0.0.1:1',
      }
      expect(await line.run('erase', id, '--yes')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Nothing was erased here.*could not be reached.*--store-only/),
      })
      expect(await findLead(db, id)).toBeDefined()
      line.state.airtable = undefined
      expect(await line.run('erase', id, '--yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('AIRTABLE_TOKEN'),
      })
      expect(await findLead(db, id)).toBeDefined()
      expect(await line.run('erase', id, '--yes', '--store-only')).toMatchObject({
        code: 0,
        out: expect.stringContaining('by hand'),
      })
      expect(await findLead(db, id)).toBeUndefined()
    })

    test('needs no Airtable for a lead that has never gone out', async () => {
      const db = await openTestDatabase(engine)
      const id = await save(db)
      expect((await createCommandLine(db).run('erase', id, '--yes')).code).toBe(0)
      expect(await findLead(db, id)).toBeUndefined()
    })

    test('waits for the site to finish sending, so that no row arrives behind its back', async () => {
      const db = await openTestDatabase(engine)
      const line = createCommandLine(db)
      const id = await save(db)
      const lease = { holder: 'site', now: line.now(), until: line.now() + 600_000 }
      await acquireChannel(db, 'airtable', lease)
      expect(await line.run('erase', id, '--yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Nothing was erased'),
      })
      expect(await findLead(db, id)).toBeDefined()
      await releaseChannel(db, 'airtable', 'site', 0)
      expect((await line.run('erase', id, '--yes')).code).toBe(0)
    })

    test('asks at a terminal, and refuses to guess without one', async () => {
      const db = await openTestDatabase(engine)
      const id = await save(db)
      expect(await createCommandLine(db).run('erase', id)).toMatchObject({
        code: 2,
        err: expect.stringContaining('--yes'),
      })
      const no = createCommandLine(db, { ask: async () => 'y' })
      expect(await no.run('erase', id)).toMatchObject({
        code: 1,
        out: expect.stringMatching(/Jane Doe[\s\S]*Nothing was erased/),
      })
      expect(await findLead(db, id)).toBeDefined()
      const yes = createCommandLine(db, { ask: async () => ' YES\n' })
      expect((await yes.run('erase', id)).code).toBe(0)
      expect(await findLead(db, id)).toBeUndefined()
    })

    test('says which alerts cannot be called back', async () => {
      const db = await openTestDatabase(engine)
      const id = await save(db, {}, ['email'])
      const now = startAt + 20 * 3_600_000
      await claimDue(db, 'email', 10, { holder: 'site', now, until: now + 1 })
      expect((await createCommandLine(db).run('erase', id, '--yes')).out).toContain(
        'Alerts cannot be called back: email.',
      )
    })
  })
})

describe('promise', () => {
  test.each(engines)('tells how the promise was kept, on %s', async (engine) => {
    const db = await openTestDatabase(engine)
    const [kept, late] = [await save(db), await save(db), await save(db)]
    for (const [id, minutes] of [
      [kept, 2],
      [late, 20],
    ] as const) {
      const answeredAt = ((await findLead(db, id ?? ''))?.receivedAt ?? 0) + minutes * 60_000
      await recordAnswer(db, id ?? '', { answeredAt, answeredBy: 'link', now: answeredAt })
    }
    const line = createCommandLine(db)
    const { code, out } = await line.run('promise')
    expect(code).toBe(0)
    expect(out).toMatch(/Leads +3\nAnswered within 10 minutes +1 \(33\.3 %\)/)
    expect(out).toContain('Missed                       2, of which 1 without any answer')
    expect(JSON.parse((await line.run('promise', '--json', '--days', '7')).out)).toMatchObject({
      leads: 3,
      kept: 1,
      medianMs: 120_000,
    })
    const shown = (await line.run('show', kept ?? '')).out
    expect(shown).toMatch(/Answered +2026-11-15 1\d:\d\d, after 2 minutes\n/)
  })

  test('takes a time by its days, and counts the last one whole', async () => {
    const db = await openTestDatabase('sqlite')
    const { run } = createCommandLine(db)
    const { out } = await run('promise', '--from', '2026-11-01', '--to', '2026-11-15', '--json')
    expect(JSON.parse(out)).toMatchObject({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-16T00:00:00.000Z',
    })
    for (const [args, sentence] of [
      [['--from', 'soon'], '--from takes a day such as 2026-11-01'],
      [['--from', '2026-11-05', '--to', '2026-11-01'], '--to lies before --from'],
    ] as const)
      expect(await run('promise', ...args)).toMatchObject({
        code: 2,
        err: expect.stringContaining(sentence),
      })
  })

  test('writes the page with charts, and replaces none unasked', async () => {
    const db = await openTestDatabase('sqlite')
    const { run } = createCommandLine(db)
    const file = join(makeFolder(), 'report.html')
    expect((await run('promise', '--html', file)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('The ten-minute promise')
    expect(await run('promise', '--html', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--force'),
    })
    expect((await run('promise', '--html', file, '--force')).code).toBe(0)
  })
})

test('erased means erased: the embedded database’s files hold no trace', async () => {
  const { dataDir } = await createLocation('sqlite')
  const db = await openDatabase({ dataDir })
  onTestFinished(() => db.close())
  const id = await save(db, { email: 'forget-me@example.com', address: 'Vanishing Lane 7' })
  await save(db)
  const holdsTrace = () =>
    readdirSync(dataDir).some((file) =>
      /forget-me|Vanishing/.test(readFileSync(join(dataDir, file), 'latin1')),
    )
  expect(holdsTrace()).toBe(true)
  expect((await createCommandLine(db).run('erase', id, '--yes')).code).toBe(0)
  expect(holdsTrace()).toBe(false)
})

test('the list keeps to 80 columns whatever a lead is called, and lets nothing out of its cell', async () => {
  const db = await openTestDatabase('sqlite')
  await save(db, { name: '李'.repeat(50), phone: '5'.repeat(40), serviceType: 'new-roof' })
  await save(db, { name: `x\x1b[2J\x9b31m\u202E${'👩‍👩‍👧'.repeat(30)}` }, [
    'airtable',
    'email',
    'sms',
  ])
  const { out } = await createCommandLine(db, { width: 80 }).run()
  const table = out.split('\n\n')[0]?.split('\n') ?? []
  expect(table).toHaveLength(3)
  expect(Math.max(...table.map(measureText))).toBeLessThanOrEqual(80)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(out).not.toMatch(/[\x1b\x9b\u202E]/)
})

test('setup-airtable reports what it found, made and cannot do', async () => {
  const db = await openTestDatabase('sqlite')
  const { standIn, settings } = await startAirtable()
  const line = createCommandLine(db)
  expect(await line.run('setup-airtable')).toMatchObject({
    code: 1,
    err: expect.stringContaining('schema.bases:write'),
  })
  line.state.airtable = settings
  standIn.tables[0]?.fields.pop()
  await save(db)
  const { code, out } = await line.run('setup-airtable')
  expect(code).toBe(0)
  expect(out).toContain('✓ Made the column "Raw" (long text).')
  expect(out).toContain('Ready. 1 wait for Airtable')
  standIn.settings.scopes.delete('data.records:write')
  expect(JSON.parse((await line.run('setup-airtable', '--json')).out)).toMatchObject({
    ready: false,
    todo: [expect.stringContaining('data.records:write')],
  })
})

describe('export', () => {
  test('does not replace a file unasked, and leaves no half of one', async () => {
    const db = await openTestDatabase('sqlite')
    const folder = makeFolder()
    const file = join(folder, 'leads.csv')
    writeFileSync(file, 'precious')
    const { run } = createCommandLine(db)
    expect(await run('export', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--force'),
    })
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect((await run('export', file, '--force')).code).toBe(0)
    expect(await run('export', join(folder, 'no', 'such', 'folder.csv'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('could not be written'),
    })
    expect(await run('export', folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is a folder'),
    })
    expect(readdirSync(folder)).toEqual(['leads.csv'])
  })
})

describe('what is typed', () => {
  test.each([
    [['bogus'], 'There is no command "bogus"'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['show'], '"show" needs the ID of a lead'],
    [['erase'], '"erase" needs the ID of a lead'],
    [['show', 'a', 'b'], '"show" does not know what to do with "b"'],
    [['list', 'x'], '"list" does not know what to do with "x"'],
    [['--limit', '0'], '--limit takes a whole number'],
    [['--limit', 'many'], '--limit takes a whole number'],
    [['show', 'a', '--limit', '3'], '--limit means nothing to "show"'],
    [['--yes'], '--yes means nothing to "list"'],
    [['promise', '--days', '0'], '--days takes a whole number'],
    [['promise', '--days', '3', '--to', '2026-01-01'], 'either --days or --from and --to'],
    [['--html', 'x'], '--html means nothing to "list"'],
    [['\x1b[2J'], 'There is no command " [2J"'],
  ])('%j is answered with a sentence and exit code 2', async (args, sentence) => {
    let err = ''
    const code = await runLeads(args, {
      open: () => Promise.reject(new Error('the database is not for this')),
      stdout: () => {},
      stderr: (text) => {
        err += text
      },
      fetch,
      pause: async () => {},
      now: () => startAt,
    })
    expect(err).toContain(sentence)
    expect(code).toBe(2)
  })
})

test('who may not write there is told to choose another folder', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  expect(explainUnwritten('/opt/leads.csv', denied).message).toBe(
    'You may not write to /opt/leads.csv. Name a file in a folder that you may write to.',
  )
})

// Each starts Node several times, which takes its time on a busy machine.
describe('as a process', { timeout: 60_000 }, () => {
  const run = promisify(execFile)
  const node = join(import.meta.dirname, 'node_modules/.bin/node')
  const start = (args: string[], env: Record<string, string>) =>
    run(node, ['leads.ts', ...args], {
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH, ...env },
    })

  test.each(engines)('it reads the environment and lists the leads on %s', async (engine) => {
    const { dataDir, databaseUrl } = await createLocation(engine)
    const db = await openDatabase({ dataDir, databaseUrl })
    const id = await save(db, { name: 'Real Process' })
    await db.close()
    const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    const { stdout } = await start([], env)
    expect(stdout).toContain(id.slice(0, 8))
    expect(stdout).toContain('Real Process')
    const erased = await start(['erase', id.slice(0, 8), '--yes', '--json'], env)
    expect(JSON.parse(erased.stdout)).toEqual({ erased: id, airtableRows: null })
    expect(JSON.parse((await start(['--json'], env)).stdout).total).toBe(0)
  })

  test('a folder without a database is a mistake, not an empty list, and stays as it is', async () => {
    const dataDir = makeFolder()
    for (const args of [[], ['--json'], ['promise'], ['export', join(dataDir, 'leads.csv')]])
      await expect(start(args, { DATA_DIR: dataDir })).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: `There is no database in ${dataDir} (DATA_DIR). Is this the folder the site runs in?\n`,
      })
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('Airtable can be set up before the first start', async () => {
    const { standIn } = await startAirtable()
    const dataDir = makeFolder()
    const { stdout } = await start(['setup-airtable'], {
      DATA_DIR: dataDir,
      AIRTABLE_TOKEN: standIn.token,
      AIRTABLE_BASE_ID: standIn.baseId,
      AIRTABLE_TABLE: standIn.tableName,
      AIRTABLE_API_URL: standIn.url,
    })
    expect(stdout).toMatch(/Ready\.\n$/)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('help needs no database; a wrong word exits with 2, a bad setting with 1', async () => {
    const dataDir = join(makeFolder(), 'not-made')
    expect((await start(['--help'], { DATA_DIR: dataDir })).stdout).toContain('npm run leads')
    await expect(start(['bogus'], { DATA_DIR: dataDir })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no command'),
    })
    expect(existsSync(dataDir)).toBe(false)
    await expect(start([], { DATABASE_URL: 'nonsense' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DATABASE_URL'),
    })
  })
})
