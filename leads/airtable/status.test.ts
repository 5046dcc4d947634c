import { expect, test } from 'vitest'
import { columnsWithout, makeLead, startAirtable } from '#testing/airtable.ts'
import { isTouched, markNew, markOutcome } from './status.ts'

test('a 429 after the rows are stored loses nothing: Status has a turn of its own', async () => {
  const { standIn, send, settings, deps, rowOf, clock } = await startAirtable()
  const [lead, robot, called] = [makeLead(), makeLead({ suspect: 'trap' }), makeLead()]
  const leads = [lead, robot, called]
  standIn.nextFaults.push(undefined, { kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
  const first = await send(leads)
  expect(first.outcomes).toEqual(leads.map(({ id }) => ({ leadId: id, ok: true, next: 'status' })))
  expect(first.holdMs).toBeGreaterThan(30_000)
  expect(rowOf(lead)).not.toHaveProperty('Status')
  clock.at += first.holdMs ?? 0
  Object.assign(rowOf(called) ?? {}, { Status: 'Called', Name: 'corrected by staff' })
  const { outcomes } = await markNew(leads, settings, deps)
  expect(outcomes).toEqual(leads.map(({ id }) => ({ leadId: id, ok: true })))
  expect(leads.map((one) => rowOf(one)?.Status)).toEqual(['New', 'Suspect', 'Called'])
  expect(rowOf(called)?.Name).toBe('corrected by staff')
  expect(standIn.requests).toHaveLength(4)
})

test('a yes without the Status set is tried again', async () => {
  const { standIn, send, settings, deps, rowOf } = await startAirtable()
  const lead = makeLead()
  standIn.nextFaults.push(undefined, { kind: 'lie' }, undefined, { kind: 'lie' })
  expect((await send([lead])).outcomes[0]).toMatchObject({ ok: true, next: 'status' })
  const mark = async () => (await markNew([lead], settings, deps)).outcomes[0]
  expect(await mark()).toMatchObject({ ok: false })
  expect(await mark()).toEqual({ leadId: lead.id, ok: true })
  expect(rowOf(lead)?.Status).toBe('New')
})

test('where there is no row or no column any more, a note ends it', async () => {
  const { send, settings, deps } = await startAirtable({ columns: columnsWithout('Status') })
  const [there, gone] = [makeLead(), makeLead()]
  await send([there])
  expect((await markNew([there, gone], settings, deps)).outcomes).toEqual([
    { leadId: there.id, ok: true, note: expect.stringContaining('does not take Status') },
    { leadId: gone.id, ok: true, note: 'The row is no longer in Airtable.' },
  ])
})

test('what became of leads is written into all their copies, ten at a time', async () => {
  const { standIn, send, settings, deps } = await startAirtable()
  const leads = Array.from({ length: 10 }, () => makeLead({ outcome: 'done' }))
  await send(leads)
  const copies = standIn.records.slice(0, 4).map((row) => ({ ...row, id: `${row.id}2` }))
  standIn.records.push(...copies)
  const { outcomes } = await markOutcome(leads, settings, deps)
  expect(outcomes).toEqual(leads.map(({ id }) => ({ leadId: id, ok: true })))
  expect(standIn.records.map(({ fields }) => fields.Status)).toEqual(Array(14).fill('Done'))
})

test('of what became of leads, only what was not written is written again', async () => {
  const { standIn, send, settings, deps } = await startAirtable()
  const leads = Array.from({ length: 10 }, () => makeLead({ outcome: 'done' }))
  await send(leads)
  const [copied] = standIn.records.slice(-1)
  if (copied) standIn.records.push({ ...copied, id: `${copied.id}2` })
  standIn.nextFaults.push(undefined, undefined, { kind: 'error', status: 503, type: 'DOWN' })
  const { outcomes } = await markOutcome(leads, settings, deps)
  expect(outcomes.map(({ ok }) => ok)).toEqual([...Array(9).fill(true), false])
})

test.each([
  [[undefined, '', 'New', 'Suspect'], false],
  [['Called', 'Done'], true],
])('the Status %j is an answer of staff: %s', (statuses, touched) => {
  for (const Status of statuses)
    expect(isTouched({ id: '', createdTime: '', fields: { Status } })).toBe(touched)
})
