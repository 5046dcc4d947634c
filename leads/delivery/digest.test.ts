import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { dayHours, makeStranger, record, savePhone, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import type { BusinessHours } from '../hours.ts'
import { addCrew, makeOwner } from '../store/people.ts'
import { changeDevice } from '../store/push-devices.ts'
import type { Engine } from '../store/tables.ts'
import { countToDo } from '../store/today-leads.ts'
import { dayMs, hourMs, minuteMs } from '../time-units.ts'

const toTime = (text: string) => Date.parse(`2026-11-${text}:00-06:00`)
const [sunday, opening] = [toTime('15T06:00'), toTime('15T07:00')]

/** Sets up a crew shortly before the company opens, with a lead from the previous day that nobody has called. */
async function open(
  engine: Engine = 'sqlite',
  { hours = dayHours, env = {} }: { hours?: BusinessHours; env?: Record<string, string> } = {},
) {
  const crew = await openCrew(engine, { hours, env: { ALERT_EMAIL_TO: '', ...env } })
  const id = await storeLead(crew.db, { at: sunday - dayMs, recipients: [], stepAt: undefined })
  await crew.deliverAt(sunday)
  return { ...crew, id }
}

const everyone = (text: string) => [
  `alex@example.com: To do: ${text}`,
  `phone: ${text}`,
  `sam.hill@example.com: To do: ${text}`,
]

it.each(engines)(
  'tells each owner and each phone what is to do, once when the company opens, on %s',
  async (engine) => {
    const { db, deliverAt, id } = await open(engine)
    expect((await deliverAt(opening - 1)).digests).toEqual([])
    const { digests, sent, notified } = await deliverAt(opening, { processes: 2 })
    expect(digests).toEqual(everyone('1 not called yet'))
    for (const part of [sent[0]?.text, sent[0]?.html])
      for (const needed of ['1 not called yet', 'https://desk.example/'])
        expect(part).toContain(needed)
    expect(notified[0]?.data).toMatchObject({
      notification: { tag: 'digest', navigate: 'https://desk.example/', silent: false },
      lead: { opensList: true, isEmergency: false },
    })
    expect((await deliverAt(opening + minuteMs)).digests).toEqual([])
    await record(db, id, 'called', { at: opening + minuteMs })
    expect((await deliverAt(opening + dayMs)).digests).toEqual(everyone('1 call without a result'))
    expect((await deliverAt(opening + dayMs + hourMs)).digests).toEqual([])
  },
)

it.each(engines)('counts each homeowner once, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const store = (changes = {}) => storeLead(db, { at: sunday, lead: makeStranger(), ...changes })
  const one = makeStranger()
  for (const at of [sunday, sunday - 30 * dayMs]) await store({ at, lead: one })
  await store({ suspect: 'trap' })
  const midnight = toTime('16T00:00')
  for (const callAgainAt of [midnight - 1, midnight, sunday - 10 * dayMs])
    await record(db, await store(), 'call-again', { at: sunday, callAgainAt })
  for (const kind of ['called', 'done'] as const) await record(db, await store(), kind)
  expect(await countToDo(db, midnight)).toEqual({ neverCalled: 1, again: 2, withoutResult: 1 })
})

it('sends nothing if nothing is to do, also not later that day', async () => {
  const { db, deliverAt, id } = await open()
  await record(db, id, 'done', { at: sunday })
  expect((await deliverAt(opening)).digests).toEqual([])
  await storeLead(db, { at: opening + minuteMs, recipients: [], stepAt: undefined })
  expect((await deliverAt(opening + hourMs)).digests).toEqual([])
  expect((await deliverAt(opening + dayMs)).digests).toEqual(everyone('1 not called yet'))
})

it.each([
  ['earlier', ['6:30-18:00'], '15T06:00', '15T06:30'],
  ['later', ['9:00-18:00'], '15T06:00', '15T09:00'],
  ['later, after that day’s digest', ['9:00-18:00', '7:00-18:00'], '15T08:00', '15T07:00'],
  ['earlier, before it', ['9:00-18:00', '12:00-18:00'], '15T10:00', '15T10:00'],
])('sends one that day if hours move %s', async (_, [span = '', before = ''], changeAt, time) => {
  const { deliverAt } = await open()
  const found: string[] = []
  for (let at = sunday; at < sunday + 12 * hourMs; at += 10 * minuteMs) {
    const open = { Sun: [at < toTime(changeAt) ? before : span], Mon: ['7:00-18:00'] }
    const { digests } = await deliverAt(at, { hours: { ...dayHours, open } })
    if (digests.length > 0) found.push(new Date(at).toISOString())
  }
  expect(found).toEqual([new Date(toTime(time)).toISOString()])
})

it('sends one on a day that was closed when the last one was sent', async () => {
  const { deliverAt } = await open()
  const thenHours = { ...dayHours, open: { Sun: ['7:00-18:00'], Tue: ['7:00-18:00'] } }
  expect((await deliverAt(opening, { hours: thenHours })).digests).toHaveLength(3)
  expect((await deliverAt(opening + dayMs)).digests).toHaveLength(3)
})

it('sends the next one after the clock was days ahead', async () => {
  const { deliverAt } = await open()
  expect((await deliverAt(opening + 3 * dayMs)).digests).toHaveLength(3)
  await deliverAt(sunday)
  expect((await deliverAt(opening)).digests).toHaveLength(3)
})

it('sends no second one after the clock was set back', async () => {
  const { deliverAt } = await open()
  expect((await deliverAt(opening)).digests).toHaveLength(3)
  expect((await deliverAt(opening - 5 * minuteMs)).digests).toEqual([])
  expect((await deliverAt(opening + 1)).digests).toEqual([])
})

it('retries for four hours while the mail server fails, and then skips the day', async () => {
  const { db, mail, deliverAt } = await open()
  mail.settings.refuseData = 451
  expect((await deliverAt(opening)).digests).toEqual(['phone: 1 not called yet'])
  const retries = new Set<number>()
  for (let at = opening; at < opening + 4 * hourMs; at += minuteMs) {
    await deliverAt(at)
    const row = db.kysely.selectFrom('recipients').select('notBefore').orderBy('name')
    const { notBefore } = await row
      .where('name', 'like', 'digest-email-%')
      .executeTakeFirstOrThrow()
    retries.add(notBefore)
  }
  // The delay grows with each try, up to 15 minutes.
  expect(retries.size).toBeGreaterThan(18)
  expect(retries.size).toBeLessThan(25)
  mail.settings.refuseData = undefined
  expect((await deliverAt(opening + 4 * hourMs + 20 * minuteMs)).digests).toEqual([])
  expect((await deliverAt(opening + dayMs)).digests).toEqual(everyone('1 not called yet'))
})

it('leaves a phone alone that is off or was added after the company opened', async () => {
  const { db, push, deliverAt } = await open()
  const add = async (id: string) => {
    const { endpoint, keys } = push.addPhone(id)
    await savePhone(db, { id, sessionId: id, endpoint, ...keys })
  }
  await changeDevice(db, '0a1b2c3d', { schedule: 'off' })
  const phones = async (at: number) =>
    (await deliverAt(at)).digests.filter((digest) => !digest.includes('@'))
  expect(await phones(opening)).toEqual([])
  await changeDevice(db, '0a1b2c3d', { schedule: 'business-hours' })
  await add('new-one1')
  expect(await phones(opening + minuteMs)).toEqual([])
  expect(await phones(opening + dayMs)).toEqual([
    'new-one1: 1 not called yet',
    'phone: 1 not called yet',
  ])
})

it('goes to owners made on the desk, and once to one who also gets alerts', async () => {
  const { db, deliverAt } = await open('sqlite', {
    env: {
      DESK_EMAIL_TO: 'sam.hill@example.com',
      ALERT_EMAIL_TO: 'Sam.Hill@example.com,former@example.com',
    },
  })
  await addCrew(db, 'dana@example.com')
  await addCrew(db, 'crew@example.com')
  // The second person can no longer sign in.
  for (const email of ['dana@example.com', 'gone@example.com']) await makeOwner(db, email)
  await deliverAt(sunday + minuteMs)
  expect((await deliverAt(opening)).digests).toEqual([
    'dana@example.com: To do: 1 not called yet',
    'phone: 1 not called yet',
    'sam.hill@example.com: To do: 1 not called yet',
  ])
})
