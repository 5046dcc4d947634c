import { expect, it } from 'vitest'
import { engines } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { listLeads, storeLead, testTime } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import type { Lead } from '../fields.ts'
import type { Engine } from '../store/tables.ts'
import { minuteMs } from '../time-units.ts'

async function open(engine: Engine = 'sqlite') {
  const desk = await openTestDesk(engine)
  const add = (fields: Partial<Lead>, isCalled = false, id = crypto.randomUUID()) =>
    desk.post('/api/leads', { id, isCalled, fields })
  return { ...desk, add }
}

const mai = { name: 'Mai Tran', phone: '612-555-0134' }

it.each(engines)('stores a lead once, however often the page sends it, on %s', async (engine) => {
  const { db, add } = await open(engine)
  const id = crypto.randomUUID()
  const added = await Promise.all([add(mai, true, id), add(mai, true, id)])
  expect(await listLeads(db, { limit: 10 })).toHaveLength(1)
  for (const { json } of added)
    expect(json.lead).toMatchObject({
      ...{ status: 'calling', caller: 'Sam Hill', source: 'Phone call', consent: null },
      phone: { shown: '(612) 555-0134' },
      beginning: 'Added during a phone call',
    })
  const changed = await add({ ...mai, name: 'Mai T.' }, true, id)
  expect([changed.status, changed.message]).toEqual([
    400,
    'This lead was already saved without your last changes. Open it in the list, and add them as a note.',
  ])
})

it('reports the phone number first, as in the form, if the email is also wrong or missing', async () => {
  const { add } = await open()
  const { status, json } = await add({ email: 'maria@', phone: '612-555' })
  expect([status, json.error.field]).toEqual([400, 'phone'])
  const { error } = (await add({ name: 'Maria' })).json
  expect(error).toEqual({ message: 'Enter a phone number or an email address.', field: 'phone' })
})

it('lists the requests of a homeowner on the screen of each, the newest first, at most 20', async () => {
  const { db, get } = await open()
  const ids: string[] = []
  for (let at = 0; at < 25; at++)
    ids.push(await storeLead(db, { at: testTime - at * minuteMs, lead: mai }))
  const { lead } = await get(`/api/leads/${ids[0]}`)
  expect(lead.sameNumber.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 21))
})

it('alerts the crew to a repeat request, and emails no caller', async () => {
  const { db, clock, post, deliverAt } = await openCrew('sqlite', {
    env: { CONFIRMATION_EMAIL: 'on' },
  })
  await storeLead(db, { lead: mai, recipients: [], stepAt: undefined })
  clock.at += 5 * minuteMs
  const fields = { ...mai, email: 'mai@example.com' }
  await post('/api/leads', { id: crypto.randomUUID(), isCalled: false, fields })
  expect(await deliverAt()).toMatchObject({
    subjects: ['Repeat request: call Mai Tran by 6:15 AM CST'],
    notifications: [{ title: 'Repeat request: call Mai Tran by 6:15 AM CST' }],
  })
})
