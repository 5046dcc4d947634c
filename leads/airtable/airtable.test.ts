import { afterEach, describe, expect, test } from 'vitest'
import {
  type AirtableStandIn,
  chooseFaultsBySeed,
  leadColumns,
  type StandInOptions,
  startAirtableStandIn,
} from '#demo/airtable-stand-in.ts'
import type { Occasion } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import type { AirtableSettings } from './client.ts'
import { columnNames } from './columns.ts'
import { eraseFromAirtable } from './rows.ts'
import { sendToAirtable } from './send.ts'
import { markNew } from './status.ts'

let standIn: AirtableStandIn
let clockMs: number
afterEach(() => standIn.close())

/** A stand-in whose clock moves only when the sender pauses. */
async function start(options: StandInOptions = {}) {
  clockMs = Date.parse('2026-11-15T12:00:00Z')
  standIn = await startAirtableStandIn({ now: () => clockMs, ...options })
  const settings = standIn.airtable
  const deps = {
    fetch,
    pause: async (ms: number) => {
      clockMs += ms
    },
  }
  return {
    settings,
    deps,
    send: (leads: StoredLead[], changed: Partial<AirtableSettings> = {}) =>
      sendToAirtable(leads, { ...settings, ...changed }, deps),
  }
}

let lastLead = 0
const makeLead = (changed: Partial<StoredLead> = {}): StoredLead => ({
  id: `00000000-0000-4000-8000-${String(++lastLead).padStart(12, '0')}`,
  name: 'Zoë “Ridge” Müller-李 🏠',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '123 Main St, Springfield, IL 62701',
  serviceType: 'emergency',
  receivedAt: Date.parse('2026-11-15T11:59:59Z'),
  suspect: null,
  consent: '2026-11',
  source: 'utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs',
  answeredAt: null,
  answeredBy: null,
  ...changed,
})
const makeLeads = (count: number) => Array.from({ length: count }, () => makeLead())
const without = (...names: string[]): NonNullable<StandInOptions['columns']> =>
  Object.fromEntries(Object.entries(leadColumns).filter(([name]) => !names.includes(name)))
const rowOf = ({ id }: StoredLead) =>
  standIn.records.find(({ fields }) => fields['Lead ID'] === id)?.fields
const personalData = /zoë|müller|zoe@|555|main st/i

describe('a lead', () => {
  test('arrives as one row with every column, its service by label', async () => {
    const { send } = await start()
    const lead = makeLead()
    expect(await send([lead])).toEqual({ outcomes: [{ leadId: lead.id, ok: true }] })
    expect(standIn.records).toHaveLength(1)
    expect(rowOf(lead)).toEqual({
      'Lead ID': lead.id,
      Name: lead.name,
      Email: lead.email,
      Phone: lead.phone,
      Address: lead.address,
      Service: 'Emergency Service',
      'Received At': '2026-11-15T11:59:59.000Z',
      Source: 'Google Ads · spring-roofs',
      Status: 'New',
      Raw: expect.any(String),
    })
    const { answeredAt: _, answeredBy: __, ...asSent } = lead
    expect(JSON.parse(String(rowOf(lead)?.Raw))).toEqual({
      ...asSent,
      receivedAt: '2026-11-15T11:59:59.000Z',
      source: {
        name: 'Google Ads · spring-roofs',
        utm_source: 'google',
        utm_medium: 'cpc',
        utm_campaign: 'spring-roofs',
      },
    })
  })

  test('that looks like a robot’s is marked so where staff look', async () => {
    const { send } = await start()
    const [robot, person] = [makeLead({ suspect: 'trap' }), makeLead()]
    expect((await send([robot, person])).outcomes.every(({ ok }) => ok)).toBe(true)
    expect([rowOf(robot)?.Status, rowOf(person)?.Status]).toEqual(['Suspect', 'New'])
    expect(JSON.parse(String(rowOf(robot)?.Raw)).suspect).toBe('trap')
  })

  test('without a service leaves that cell empty', async () => {
    const { send } = await start()
    const lead = makeLead({ serviceType: '' })
    expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
    expect(rowOf(lead)).not.toHaveProperty('Service')
  })

  test('nobody knows the source of leaves that cell empty; without the column it is in Raw', async () => {
    const { send } = await start({ columns: without('Source') })
    const [unknown, known] = [makeLead({ source: null }), makeLead()]
    expect((await send([unknown])).outcomes).toEqual([{ leadId: unknown.id, ok: true }])
    expect((await send([known])).outcomes).toEqual([
      { leadId: known.id, ok: true, note: expect.stringContaining('Source') },
    ])
    expect(rowOf(known)?.Raw).toContain('spring-roofs')
  })

  test('sent twice is one row, and what staff set as Status stays', async () => {
    const { send } = await start()
    const lead = makeLead()
    await send([lead])
    const row = rowOf(lead)
    if (row) row.Status = 'Called'
    expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
    expect(standIn.records).toHaveLength(1)
    expect(rowOf(lead)?.Status).toBe('Called')
  })

  test('ten go in one request, marked New in a second', async () => {
    const { send } = await start()
    const { outcomes } = await send(makeLeads(10))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(standIn.records).toHaveLength(10)
    expect(standIn.requests).toHaveLength(2)
  })
})

describe('pace', () => {
  test('no stretch of a second sees more than four requests, from call to call', async () => {
    const { send } = await start()
    for (let batch = 0; batch < 12; batch++) await send(makeLeads(10))
    expect(standIn.records).toHaveLength(120)
    expect(standIn.busiestWindow()).toBeLessThanOrEqual(4)
    expect(standIn.requests.every(({ status }) => status === 200)).toBe(true)
  })

  test('a 429 rests the channel past the 30 s lock-out, and then all is well', async () => {
    const { send } = await start()
    const leads = makeLeads(3)
    standIn.nextFaults.push({ kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
    const { outcomes, holdMs } = await send(leads)
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false])
    expect(holdMs).toBeGreaterThan(30_000)
    expect(standIn.requests).toHaveLength(1)
    clockMs += holdMs ?? 0
    expect((await send(leads)).outcomes.every(({ ok }) => ok)).toBe(true)
  })

  test('a longer Retry-After is believed', async () => {
    const { settings, deps } = await start()
    const { holdMs } = await sendToAirtable(makeLeads(1), settings, {
      ...deps,
      fetch: async () => new Response('{}', { status: 429, headers: { 'retry-after': '90' } }),
    })
    expect(holdMs).toBe(90_000)
  })

  test('a 429 after the rows are stored loses nothing: Status has a turn of its own', async () => {
    const { send, settings, deps } = await start()
    const [lead, robot] = [makeLead(), makeLead({ suspect: 'trap' })]
    const called = makeLead()
    standIn.nextFaults.push(undefined, { kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
    const leads = [lead, robot, called]
    const first = await send(leads)
    expect(first.outcomes).toEqual(
      leads.map(({ id }) => ({ leadId: id, ok: true, next: 'status' })),
    )
    expect(first.holdMs).toBeGreaterThan(30_000)
    expect(rowOf(lead)).not.toHaveProperty('Status')
    clockMs += first.holdMs ?? 0
    const row = rowOf(called)
    if (row) row.Status = 'Called'
    if (row) row.Name = 'corrected by staff'
    expect(await markNew(leads, settings, deps)).toEqual({
      outcomes: leads.map(({ id }) => ({ leadId: id, ok: true })),
    })
    expect(leads.map((one) => rowOf(one)?.Status)).toEqual(['New', 'Suspect', 'Called'])
    expect(rowOf(called)?.Name).toBe('corrected by staff')
    expect(standIn.requests).toHaveLength(4)
  })

  test("the month's calls used up: a long rest and plain words", async () => {
    const { send } = await start({ monthlyCalls: 0 })
    const { outcomes, holdMs } = await send(makeLeads(1))
    expect(outcomes[0]).toMatchObject({ ok: false, error: expect.stringContaining('month') })
    expect(holdMs).toBe(15 * 60_000)
    standIn.settings.callsLeft = 10
    expect((await send(makeLeads(1))).outcomes[0]?.ok).toBe(true)
  })
})

describe('a broken call', () => {
  test.each([
    ['a 503 in JSON', { kind: 'error', status: 503, type: 'SERVICE_UNAVAILABLE' }, 0],
    ['a 502 in HTML', { kind: 'html', status: 502 }, 0],
    ['a 200 in HTML', { kind: 'html', status: 200 }, 0],
    ['a refused connection', { kind: 'refuse' }, 0],
    ['an answer lost after the row was stored', { kind: 'lose-answer' }, 1],
    ['an answer cut in the middle', { kind: 'cut-answer' }, 1],
    ['a yes without the lead', { kind: 'lie' }, 0],
  ] as const)('%s is an error, and the next attempt leaves one row', async (_, fault, rows) => {
    const { send } = await start()
    const lead = makeLead()
    standIn.nextFaults.push(fault)
    const [outcome] = (await send([lead])).outcomes
    expect(outcome).toMatchObject({ leadId: lead.id, ok: false, error: expect.any(String) })
    expect(standIn.records).toHaveLength(rows)
    expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
    expect(standIn.records).toHaveLength(1)
    expect(rowOf(lead)?.Status).toBe('New')
  })

  test('an answer that never comes ends with the request’s time limit', async () => {
    const { settings, deps } = await start()
    standIn.nextFaults.push({ kind: 'hang' })
    const { outcomes } = await sendToAirtable(makeLeads(2), settings, {
      ...deps,
      requestTimeoutMs: 20,
    })
    expect(outcomes).toEqual([
      expect.objectContaining({ ok: false, error: 'Airtable did not answer in time.' }),
      expect.objectContaining({ ok: false, error: 'Airtable did not answer in time.' }),
    ])
  })

  test('a claim lost in the middle ends the call', async () => {
    const { settings, deps } = await start()
    const lost = new AbortController()
    standIn.nextFaults.push({ kind: 'hang' })
    const sending = sendToAirtable(makeLeads(1), settings, {
      fetch: (url, init) => {
        queueMicrotask(() => lost.abort())
        return fetch(url, init)
      },
      pause: deps.pause,
      signal: lost.signal,
    })
    expect((await sending).outcomes[0]).toMatchObject({ ok: false })
  })

  test('a yes without the Status set is tried again', async () => {
    const { send, settings, deps } = await start()
    const lead = makeLead()
    standIn.nextFaults.push(undefined, { kind: 'lie' }, undefined, { kind: 'lie' })
    expect((await send([lead])).outcomes[0]).toMatchObject({ ok: true, next: 'status' })
    const mark = async () => (await markNew([lead], settings, deps)).outcomes[0]
    expect(await mark()).toMatchObject({ ok: false })
    expect(await mark()).toEqual({ leadId: lead.id, ok: true })
    expect(rowOf(lead)?.Status).toBe('New')
  })

  test('nothing listening is an error, not an exception', async () => {
    const { send } = await start()
    const { outcomes } = await send(makeLeads(1), { apiUrl: 'http://127.0.0.1:1' })
    expect(outcomes[0]).toMatchObject({ ok: false, error: expect.stringContaining('reached') })
  })

  test.each([401, 403, 404])('a %i tells the owner what to do, in one request', async (status) => {
    const { send } = await start()
    standIn.nextFaults.push({ kind: 'error', status, type: 'NOPE' })
    const { outcomes } = await send(makeLeads(10))
    expect(outcomes[0]).toMatchObject({ ok: false, error: expect.stringMatching(/AIRTABLE_\w+/) })
    expect(standIn.requests).toHaveLength(1)
  })

  test('a wrong token and a wrong table are told apart', async () => {
    const { send } = await start()
    expect((await send(makeLeads(1), { token: 'pat-wrong' })).outcomes[0]).toMatchObject({
      error: expect.stringContaining('AIRTABLE_TOKEN'),
    })
    expect((await send(makeLeads(1), { table: 'Leeds' })).outcomes[0]).toMatchObject({
      error: expect.stringContaining('AIRTABLE_TABLE'),
    })
  })
})

describe('a refusal', () => {
  test('of one lead holds up nobody else, and that lead arrives as Raw', async () => {
    const { settings, deps } = await start()
    const leads = makeLeads(5)
    const bad = leads[2] as StoredLead
    // Airtable has something against this one value, and does not say which column.
    const picky: typeof fetch = async (url, init) =>
      String(init?.body).includes(`"Lead ID":"${bad.id}","Name"`)
        ? Response.json({ error: { type: 'INVALID_VALUE_FOR_COLUMN' } }, { status: 422 })
        : fetch(url, init)
    const { outcomes } = await sendToAirtable(leads, settings, { ...deps, fetch: picky })
    expect(outcomes.map(({ leadId, ok }) => [leadId, ok])).toEqual(
      leads.map(({ id }) => [id, true]),
    )
    expect(outcomes[2]).toMatchObject({ note: expect.stringContaining('Name') })
    expect(Object.keys(rowOf(bad) ?? {}).sort()).toEqual(['Lead ID', 'Raw', 'Status'])
    expect(JSON.parse(String(rowOf(bad)?.Raw))).toMatchObject({ name: bad.name, phone: bad.phone })
  })

  test('of one lead by a slow Airtable: the rows that are there are there, although time runs out', async () => {
    const { settings, deps } = await start()
    const leads = makeLeads(10)
    const bad = leads[9] as StoredLead
    let calls = 0
    const { outcomes } = await sendToAirtable(leads, settings, {
      ...deps,
      fetch: async (url, init) => {
        // At 3.3 s a call and 0.25 s between two, 45 s are over in the thirteenth.
        if (++calls > 12) throw new DOMException('', 'TimeoutError')
        return String(init?.body).includes(bad.id)
          ? Response.json({ error: 'INVALID' }, { status: 422 })
          : fetch(url, init)
      },
    })
    expect(standIn.records).toHaveLength(9)
    expect(outcomes.map(({ ok }) => ok)).toEqual([...Array(9).fill(true), false])
    expect(outcomes[0]).toEqual({ leadId: leads[0]?.id, ok: true, next: 'status' })
  })

  test('followed by an outage tries no further leads in vain', async () => {
    const { send } = await start()
    standIn.nextFaults.push({ kind: 'error', status: 422, type: 'INVALID_RECORDS' }, undefined, {
      kind: 'html',
      status: 502,
    })
    const { outcomes } = await send(makeLeads(5))
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false, false, false])
    expect(standIn.records).toHaveLength(1)
    expect(standIn.requests).toHaveLength(3)
  })

  test('for a missing column leaves it out of the whole batch at once', async () => {
    const { send } = await start({ columns: without('Address', 'Service') })
    const leads = makeLeads(10)
    const { outcomes } = await send(leads)
    expect(outcomes).toEqual(
      leads.map(({ id }) => ({
        leadId: id,
        ok: true,
        note: expect.stringContaining('Address, Service'),
      })),
    )
    expect(standIn.records).toHaveLength(10)
    expect(standIn.requests).toHaveLength(4)
  })

  test('of a column that takes other values still delivers the rest and Raw', async () => {
    const { send } = await start({ columns: { ...leadColumns, Phone: 'number', Name: 'formula' } })
    const lead = makeLead()
    expect((await send([lead])).outcomes[0]).toMatchObject({
      ok: true,
      note: expect.stringContaining('Name, Phone'),
    })
    expect(rowOf(lead)).toMatchObject({ Email: lead.email, Status: 'New' })
    expect(JSON.parse(String(rowOf(lead)?.Raw)).phone).toBe(lead.phone)
  })

  test('of a column, with no Raw to make up for it, is never called delivered', async () => {
    const { send } = await start({ columns: without('Phone', 'Raw') })
    const lead = makeLead()
    expect((await send([lead])).outcomes[0]).toMatchObject({
      ok: false,
      error: expect.stringContaining('Phone, Raw'),
    })
    expect(rowOf(lead)).toMatchObject({ Email: lead.email, Status: 'New' })
  })

  test('for want of a column "Lead ID" names it and the way out', async () => {
    const { send } = await start({ columns: without('Lead ID') })
    expect((await send(makeLeads(2))).outcomes[1]).toMatchObject({
      ok: false,
      error: expect.stringMatching(/"Lead ID".*setup-airtable/),
    })
    expect(standIn.records).toHaveLength(0)
  })

  test('without a Status column the lead still counts, with a note', async () => {
    const { send } = await start({ columns: without('Status') })
    expect((await send(makeLeads(1))).outcomes[0]).toMatchObject({
      ok: true,
      note: expect.stringContaining('Status'),
    })
  })

  test('of an unknown option adds the option', async () => {
    const { send } = await start({ columns: { ...leadColumns, Service: { choices: ['Other'] } } })
    const lead = makeLead()
    expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
    expect(rowOf(lead)?.Service).toBe('Emergency Service')
  })

  test('of an option the token may not add leaves Service to Raw', async () => {
    const { send } = await start({
      columns: { ...leadColumns, Service: { choices: ['Other'] } },
      mayAddChoices: false,
    })
    const leads = [makeLead(), makeLead({ serviceType: 'other' })] as const
    const { outcomes } = await send([...leads])
    expect(outcomes[0]).toMatchObject({ ok: true, note: expect.stringContaining('Service') })
    expect(outcomes[1]).toEqual({ leadId: leads[1].id, ok: true })
    expect(rowOf(leads[1])?.Service).toBe('Other')
  })

  test('because the row was copied brings the oldest up to date', async () => {
    const { send } = await start()
    const lead = makeLead()
    await send([lead, makeLead()])
    const [row] = standIn.records
    if (!row) throw new Error('no row')
    row.fields.Name = 'old'
    clockMs += 1000
    standIn.records.unshift({
      ...structuredClone(row),
      id: 'recCopy0000000000',
      createdTime: new Date(clockMs).toISOString(),
    })
    const { outcomes } = await send([lead, makeLead()])
    expect(outcomes).toEqual([
      { leadId: lead.id, ok: true, note: expect.stringContaining('2 rows') },
      { leadId: expect.any(String), ok: true },
    ])
    expect(row.fields.Name).toBe(lead.name)
    expect(standIn.records[0]?.fields.Name).toBe('old')
  })

  test('of one lead holds up nobody even where the token may not read', async () => {
    const { settings, deps } = await start({ scopes: ['data.records:write'] })
    const leads = makeLeads(3)
    const bad = leads[0] as StoredLead
    const { outcomes } = await sendToAirtable(leads, settings, {
      ...deps,
      fetch: async (url, init) =>
        String(init?.body).includes(bad.id)
          ? Response.json({ error: 'INVALID' }, { status: 422 })
          : fetch(url, init),
    })
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true])
  })

  test('of everything is an error that keeps no word of the lead', async () => {
    const { settings, deps } = await start()
    const { outcomes } = await sendToAirtable(makeLeads(2), settings, {
      ...deps,
      fetch: async (_, init) =>
        init?.method === 'GET'
          ? Response.json({ records: [] })
          : Response.json(
              { error: { type: 'ZOË MÜLLER', message: 'cannot take "Zoë" (555) 123-4567' } },
              { status: 422 },
            ),
    })
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false])
    expect(JSON.stringify(outcomes)).not.toMatch(personalData)
  })
})

test.each([1, 2, 3, 4, 5])('bad day %i ends with one complete row for every lead', async (seed) => {
  const { send, settings, deps } = await start({ lockOutMs: 0 })
  const choose = chooseFaultsBySeed(seed, 0.4)
  standIn.settings.chooseFault = (request) => {
    const fault = choose()
    // To read nothing where a row was means that staff have deleted it.
    return fault?.kind === 'lie' && request.method === 'GET' ? undefined : fault
  }
  const all = makeLeads(60)
  let waiting = all.map((lead) => ({ lead, occasion: 'received' as Occasion }))
  for (let round = 0; waiting.length > 0 && round < 200; round++) {
    // Ten of one kind, the longest waiting first, as the channel sends them.
    const { occasion } = waiting[0] ?? {}
    const batch = waiting.filter((one) => one.occasion === occasion).slice(0, 10)
    const leads = batch.map(({ lead }) => lead)
    const { outcomes } = await (occasion === 'status'
      ? markNew(leads, settings, deps)
      : send(leads))
    expect(JSON.stringify(outcomes)).not.toMatch(personalData)
    const left = batch.flatMap((one) => {
      const outcome = outcomes.find(({ leadId }) => leadId === one.lead.id)
      if (!outcome?.ok) return [one]
      return outcome.next ? [{ ...one, occasion: outcome.next }] : []
    })
    waiting = [...waiting.filter((one) => !batch.includes(one)), ...left]
  }
  expect(waiting).toEqual([])
  expect(standIn.records).toHaveLength(all.length)
  for (const lead of all)
    expect(Object.keys(rowOf(lead) ?? {}).sort()).toEqual(
      columnNames.filter((name) => name !== 'Answered At').sort(),
    )
  expect(standIn.busiestWindow()).toBeLessThanOrEqual(4)
})

describe('erasing', () => {
  test('deletes every row of the lead and no other', async () => {
    const { send, settings, deps } = await start()
    const [gone, stays] = [makeLead(), makeLead()]
    await send([gone, stays])
    const [row] = standIn.records
    if (row)
      for (let copy = 0; copy < 11; copy++)
        standIn.records.push({ ...structuredClone(row), id: `recCopy${copy}` })
    expect(await eraseFromAirtable(gone.id, settings, deps)).toEqual({ ok: true, rows: 12 })
    expect(standIn.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays.id])
    expect(await eraseFromAirtable(gone.id, settings, deps)).toEqual({ ok: true, rows: 0 })
  })

  test('says why when Airtable does not do it', async () => {
    const { send, settings, deps } = await start()
    const lead = makeLead()
    await send([lead])
    standIn.nextFaults.push({ kind: 'html', status: 502 })
    expect(await eraseFromAirtable(lead.id, settings, deps)).toMatchObject({ ok: false })
    standIn.settings.scopes.delete('data.records:write')
    expect(await eraseFromAirtable(lead.id, settings, deps)).toMatchObject({
      ok: false,
      error: expect.stringContaining('data.records:write'),
    })
    expect(standIn.records).toHaveLength(1)
  })
})

describe('the stand-in keeps Airtable’s rules', () => {
  const call = (method: string, path: string, body?: object) =>
    fetch(`${standIn.url}/v0/${path}`, {
      method,
      headers: { authorization: `Bearer ${standIn.token}` },
      ...(body && { body: JSON.stringify(body) }),
    })
  const write = (records: object[], more: object = {}) =>
    call('PATCH', `${standIn.baseId}/Leads`, {
      performUpsert: { fieldsToMergeOn: ['Lead ID'] },
      records: records.map((fields) => ({ fields })),
      ...more,
    })
  const errorOf = async (response: Response) =>
    ((await response.json()) as { error: { type: string } }).error.type

  test('the sixth request in a second locks the base for 30 s, and asking prolongs it', async () => {
    await start()
    const statuses: number[] = []
    const list = async () => statuses.push((await call('GET', `${standIn.baseId}/Leads`)).status)
    for (let request = 0; request < 6; request++) await list()
    clockMs += 29_999
    await list()
    clockMs += 29_999
    await list()
    clockMs += 30_000
    await list()
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 200])
  })

  test('eleven records, an unknown option or one bad record write nothing', async () => {
    await start()
    const eleven = Array.from({ length: 11 }, (_, index) => ({ 'Lead ID': String(index) }))
    expect(await errorOf(await write(eleven))).toBe('INVALID_RECORDS')
    clockMs += 1000
    expect(await errorOf(await write([{ 'Lead ID': 'a' }, { Service: 'Plumbing' }]))).toBe(
      'INVALID_MULTIPLE_CHOICE_OPTIONS',
    )
    expect(await errorOf(await write([{ 'Lead ID': 'a' }, { Nope: 1 }]))).toBe('UNKNOWN_FIELD_NAME')
    expect(standIn.records).toEqual([])
    expect((await write([{ Service: 'Plumbing' }], { typecast: true })).status).toBe(200)
  })

  test('an upsert tells created from updated, and refuses several matches', async () => {
    await start()
    const first = (await (await write([{ 'Lead ID': 'a' }])).json()) as Record<string, unknown[]>
    expect([first.createdRecords?.length, first.updatedRecords?.length]).toEqual([1, 0])
    const again = (await (await write([{ 'Lead ID': 'a' }])).json()) as Record<string, unknown[]>
    expect([again.createdRecords?.length, again.updatedRecords?.length]).toEqual([0, 1])
    standIn.records.push({ id: 'recCopy', createdTime: '', fields: { 'Lead ID': 'a' } })
    expect((await write([{ 'Lead ID': 'a' }])).status).toBe(422)
  })

  test('its page for people needs no token and shows no token', async () => {
    await start()
    const page = await (await fetch(`${standIn.url}/`)).text()
    const data = await (await fetch(`${standIn.url}/records.json`)).text()
    expect(page).toContain('Leads in the stand-in for Airtable')
    expect(page + data).not.toContain(standIn.token)
    expect(standIn.requests).toEqual([])
  })
})
