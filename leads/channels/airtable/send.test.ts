import { describe, expect, test } from 'vitest'
import { leadColumns } from '#fakes/airtable.ts'
import { columnsWithout, makeLead, makeLeads, startAirtable } from '#testing/airtable.ts'
import type { StoredLead } from '../../lead.ts'
import { newState } from '../../lead-state.ts'
import { columnNames } from './columns.ts'

const personalData = /zoë|müller|zoe@|555|main st/i
const refuse = (type = 'INVALID') => Response.json({ error: { type } }, { status: 422 })

describe('a lead', () => {
  test('becomes one row with all columns and the label of its service', async () => {
    const { send, fake, rowOf } = await startAirtable()
    const lead = makeLead()
    expect(await send([lead])).toEqual([{ ok: true }])
    expect(fake.records).toHaveLength(1)
    const receivedAt = '2026-11-15T11:59:59.000Z'
    const source = 'Google Ads · spring-roofs'
    const row = rowOf(lead) ?? {}
    expect(Object.keys(row).sort()).toEqual(
      columnNames.filter((name) => !['Called At', 'Result', 'Amount'].includes(name)).toSorted(),
    )
    expect(row).toMatchObject({ 'Received At': receivedAt, Source: source, Status: 'New' })
    expect(JSON.parse(String(row.Raw))).toMatchObject({
      receivedAt,
      deadlineAt: '2026-11-15T12:09:59.000Z',
      source: { name: source, utm_source: 'google' },
    })
  })

  test('is sent with nine others in two requests, at most four per second', async () => {
    const { send, fake } = await startAirtable()
    for (let batch = 0; batch < 12; batch++) await send(makeLeads(10))
    expect(fake.records).toHaveLength(120)
    expect(fake.requests.map(({ status }) => status)).toEqual(Array(24).fill(200))
    expect(fake.busiestWindow()).toBeLessThanOrEqual(4)
  })
})

test.each([
  ['a 429', { kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' }, 0],
  ['a 200 with HTML', { kind: 'html', status: 200 }, 0],
  ['a response lost after the row was stored', { kind: 'lose-answer' }, 1],
  ['an incomplete response', { kind: 'cut-answer' }, 1],
  ['a 200 without the lead', { kind: 'lie' }, 0],
] as const)('returns an error for %s, and a retry leaves one row', async (_, fault, rows) => {
  const { send, fake, rowOf, clock } = await startAirtable()
  const lead = makeLead()
  fake.nextFaults.push(fault)
  const [result] = await send([lead])
  expect(result).toMatchObject({ ok: false, error: expect.any(String) })
  expect(fake.requests).toHaveLength(1)
  expect(fake.records).toHaveLength(rows)
  clock.at += (result?.ok === false && result.retryAfterMs) || 0
  expect(await send([lead])).toEqual([{ ok: true }])
  expect(fake.records).toHaveLength(1)
  expect(rowOf(lead)?.Status).toBe('New')
})

describe('a 422', () => {
  const note = (text: RegExp) => ({ ok: true, note: expect.stringMatching(text) })
  const error = (text: RegExp) => ({ ok: false, error: expect.stringMatching(text) })
  const fewChoices = { ...leadColumns, Service: { choices: ['Other'] } }
  const otherTypes = { ...leadColumns, Phone: 'number', Name: 'formula' } as const
  const without = (...names: string[]) => ({ columns: columnsWithout(...names) })
  const mayNotAdd = { columns: fewChoices, mayAddChoices: false }
  test.each([
    ['missing columns', without('Address', 'Service'), note(/Address, Service/), 4],
    ['columns of other types', { columns: otherTypes }, note(/Name, Phone/), undefined],
    ['no Source', without('Source'), note(/Source/), 3],
    ['no Status', without('Status'), note(/Status/), 2],
    ['neither Phone nor Raw', without('Phone', 'Raw'), error(/Phone, Raw/), 4],
    ['no Lead ID', without('Lead ID'), error(/"Lead ID".*setup-airtable/), 1],
    ['an unknown choice, which is added', { columns: fewChoices }, { ok: true }, 3],
    ['a choice that the token cannot add', mayNotAdd, note(/Service/), undefined],
  ] as const)('because of %s', async (_, options, outcome, requests) => {
    const { send, fake, rowOf } = await startAirtable(options)
    const leads = makeLeads(2)
    expect(await send(leads)).toEqual(leads.map(() => outcome))
    if (requests) expect(fake.requests).toHaveLength(requests)
    if (!outcome.ok) return
    for (const lead of leads) {
      expect(rowOf(lead)).toMatchObject({ Email: lead.email })
      expect(JSON.parse(String(rowOf(lead)?.Raw))).toMatchObject({ phone: lead.phone })
    }
  })

  test('for one lead does not delay others, and stores that lead in Raw', async () => {
    const { send, rowOf } = await startAirtable()
    const leads = makeLeads(5)
    const bad = leads[2] as StoredLead
    // Airtable rejects one lead's cells without mentioning a column.
    const picky: typeof fetch = async (url, init) =>
      String(init?.body).includes(`"Lead ID":"${bad.id}","Name"`) ? refuse() : fetch(url, init)
    const outcomes = await send(leads, { fetch: picky })
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(outcomes[2]).toMatchObject(note(/Name/))
    expect(Object.keys(rowOf(bad) ?? {}).sort()).toEqual(['Lead ID', 'Raw', 'Status'])
    expect(JSON.parse(String(rowOf(bad)?.Raw))).toMatchObject({ name: bad.name, phone: bad.phone })
  })

  test('for a copied row counts as delivered and changes neither row', async () => {
    const { send, fake } = await startAirtable()
    const lead = makeLead()
    await send([lead])
    const [row] = fake.records
    if (!row) throw new Error('no row')
    row.fields.Name = 'corrected by the crew'
    fake.records.unshift({ ...structuredClone(row), id: 'recCopy0000000000' })
    expect(await send([lead, makeLead()])).toEqual([note(/2 rows/), { ok: true }])
    expect(fake.records.slice(0, 2).map(({ fields }) => fields.Name)).toEqual(
      Array(2).fill('corrected by the crew'),
    )
  })

  test('does not delay other leads if the token cannot read, and logs no personal data', async () => {
    const { send } = await startAirtable({ scopes: ['data.records:write'] })
    const leads = makeLeads(3)
    const bad = leads[0] as StoredLead
    const outcomes = await send(leads, {
      fetch: async (url, init) =>
        String(init?.body).includes(bad.id) ? refuse('ZOË MÜLLER (555)') : fetch(url, init),
    })
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true])
    expect(outcomes[0]).toMatchObject({ refused: true })
    expect(JSON.stringify(outcomes)).not.toMatch(personalData)
  })
})

test('retries a row without Status, and keeps what the crew wrote', async () => {
  const { fake, send, rowOf, clock } = await startAirtable()
  const [lead, spam, called] = [makeLead(), makeLead({ suspect: 'trap' }), makeLead()]
  const leads = [lead, spam, called]
  fake.nextFaults.push(undefined, { kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
  const failed = { ok: false, error: expect.stringContaining('429'), retryAfterMs: 32_000 }
  expect(await send(leads)).toEqual(leads.map(() => failed))
  expect(rowOf(lead)).not.toHaveProperty('Status')
  clock.at += 32_000
  Object.assign(rowOf(called) ?? {}, { Status: 'Called' })
  expect(await send(leads)).toEqual(leads.map(() => ({ ok: true })))
  expect(leads.map((one) => rowOf(one)?.Status)).toEqual(['New', 'Possible spam', 'Called'])
  expect(fake.records).toHaveLength(3)
  expect(fake.requests).toHaveLength(4)
})

describe.each(['called', 'outcome'] as const)('the delivery “%s”', (reason) => {
  const changes = { calledAt: Date.parse('2026-11-15T12:03:00Z'), status: 'done' } as const

  test('sets Called At and, except where the crew chose another, Status in one request', async () => {
    const { fake, send, rowOf } = await startAirtable()
    const chosen = makeLead(changes)
    const spam = makeLead({ ...changes, suspect: 'trap' })
    const leads = [chosen, spam, ...Array.from({ length: 8 }, () => makeLead(changes))]
    await send(leads)
    Object.assign(rowOf(chosen) ?? {}, { Status: 'Won' })
    const before = fake.requests.length
    expect(await send(leads, { reason })).toEqual(leads.map(() => ({ ok: true })))
    expect(leads.map((lead) => rowOf(lead)?.Status)).toEqual(['Won', ...Array(9).fill('Done')])
    expect(new Set(leads.map((lead) => rowOf(lead)?.['Called At']))).toEqual(
      new Set(['2026-11-15T12:03:00.000Z']),
    )
    expect(fake.requests.length - before).toBe(2)
  })

  test('counts as delivered, with a note, if the row or column is missing or the row was copied', async () => {
    const columns = columnsWithout('Status', 'Called At')
    const { fake, send } = await startAirtable({ columns })
    const [there, gone, copied] = [makeLead(changes), makeLead(changes), makeLead(changes)]
    await send([there, copied])
    const copies = fake.records.slice(1).map((row) => ({ ...row, id: 'recCopy' }))
    fake.records.push(...copies)
    expect(await send([there, gone, copied], { reason })).toEqual([
      { ok: true, note: expect.stringContaining('didn’t store') },
      { ok: true, note: 'The row is no longer in Airtable.' },
      { ok: true, note: expect.stringContaining('2 rows') },
    ])
  })
})

test('sets Called At even if the token cannot add the choice for Status', async () => {
  const { send, rowOf } = await startAirtable({ mayAddChoices: false })
  const lead = makeLead({ calledAt: 1, status: 'not-a-lead' })
  await send([lead])
  const note = expect.stringMatching(/didn’t store Status\./)
  expect(await send([lead], { reason: 'outcome' })).toEqual([{ ok: true, note }])
  expect(rowOf(lead)).toMatchObject({ Status: 'New', 'Called At': expect.any(String) })
})

test('clears Called At of a reopened lead, and keeps a Status that only the crew uses', async () => {
  const { send, rowOf } = await startAirtable()
  const lead = makeLead({ calledAt: 1, status: 'calling' })
  await send([lead])
  await send([lead], { reason: 'called' })
  expect(rowOf(lead)).toMatchObject({ Status: 'Called', 'Called At': expect.any(String) })
  Object.assign(rowOf(lead) ?? {}, { Status: 'Follow-up' })
  const reopened = { ...lead, ...newState }
  expect(await send([reopened], { reason: 'outcome' })).toEqual([{ ok: true }])
  expect(rowOf(lead)).toMatchObject({ Status: 'Follow-up' })
  expect(rowOf(lead)).not.toHaveProperty('Called At')
})

describe('what came of a request', () => {
  const won = { calledAt: 1, status: 'won', saleDetails: '12500' } as const
  const outcome = { reason: 'outcome' } as const

  test('is in Result and Amount, and Undo clears both', async () => {
    const { send, rowOf } = await startAirtable()
    const lead = makeLead(won)
    await send([lead])
    expect(await send([lead], outcome)).toEqual([{ ok: true }])
    expect(rowOf(lead)).toMatchObject({ Status: 'Done', Result: 'Won, $12,500', Amount: 12_500 })
    const lost = { ...lead, status: 'lost', saleDetails: 'somebody-else' } as const
    await send([lost], outcome)
    expect(rowOf(lead)).toMatchObject({ Status: 'Done', Result: 'Lost, hired someone else' })
    expect(rowOf(lead)).not.toHaveProperty('Amount')
    for (const sale of [
      { status: 'appointment', saleDetails: '2026-11-26' },
      { status: 'won', saleDetails: null },
      { status: 'lost', saleDetails: 'no-need' },
    ] as const) {
      await send([{ ...lead, ...sale }], outcome)
      expect(rowOf(lead)).toHaveProperty('Result')
      await send([{ ...lead, status: 'done', saleDetails: null }], outcome)
      expect(rowOf(lead)).not.toHaveProperty('Result')
    }
  })

  test.each(['Inspected', 'Won', 'Lost contact', 'Appointment for Tuesday'])(
    'does not overwrite the Result “%s,” which the crew wrote, or its Amount',
    async (Result) => {
      const { send, rowOf } = await startAirtable()
      const [lead, open] = [makeLead(won), makeLead({ ...won, status: 'done', saleDetails: null })]
      await send([lead, open])
      const typed = { Result, Amount: 900 }
      for (const one of [lead, open]) Object.assign(rowOf(one) ?? {}, typed)
      expect(await send([lead, open], outcome)).toEqual([{ ok: true }, { ok: true }])
      for (const one of [lead, open]) expect(rowOf(one)).toMatchObject({ Status: 'Done', ...typed })
    },
  )

  test('does not overwrite an Amount that the crew uses for something else', async () => {
    const { send, rowOf } = await startAirtable({ columns: columnsWithout('Result') })
    const lead = makeLead({ ...won, status: 'appointment', saleDetails: '2026-11-26' })
    await send([lead])
    Object.assign(rowOf(lead) ?? {}, { Amount: 900 })
    expect(await send([lead], outcome)).toEqual([{ ok: true }])
    expect(rowOf(lead)).toMatchObject({ Status: 'Done', Amount: 900 })
  })

  test.each([[['Result', 'Amount']], [['Result']], [['Amount']]])(
    'costs neither the lead nor its Status if %j are missing',
    async (missing) => {
      const { send, rowOf } = await startAirtable({ columns: columnsWithout(...missing) })
      const leads = [makeLead(won), makeLead(won)]
      expect(await send(leads)).toEqual([{ ok: true }, { ok: true }])
      expect(await send(leads, outcome)).toEqual([{ ok: true }, { ok: true }])
      for (const lead of leads)
        expect(rowOf(lead)).toMatchObject({ Status: 'Done', 'Called At': expect.any(String) })
    },
  )
})
