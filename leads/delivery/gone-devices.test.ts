import { expect, it } from 'vitest'
import { record, savePhone, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import { removeDevice } from '../store/push-devices.ts'
import { nameServerPerson } from '../store/sign-in.ts'
import { minuteMs } from '../time-units.ts'

/** Sets up a crew with two phones, one of which is about to be gone. Both are Sam's. */
async function open() {
  const crew = await openCrew()
  const { db, clock, push, deliverAt } = crew
  const { endpoint, keys } = push.addPhone('other')
  await savePhone(db, { id: 'other000', sessionId: 'other', endpoint, ...keys })
  const [sam] = await db.kysely.selectFrom('pushDevices').select('id').execute()
  const recipients = [`push-${sam?.id.slice(0, 8)}`]
  const start = clock.at
  const store = () => storeLead(db, { at: start, recipients })
  /** Returns which phones are notified of which leads. */
  const hearAt = async (at: number) => {
    const { notified } = await deliverAt(at)
    return notified.map(({ device, data }) => `${device} ${data.notification.tag}`)
  }
  const removePhone = () => removeDevice(db, sam?.id ?? '')
  return { db, push, start, store, hearAt, deliverAt, removePhone }
}

it('tells other phones of all leads whose alert was meant for one that is gone', async () => {
  const { push, start, store, hearAt } = await open()
  const ids = [await store(), await store()]
  push.failNext('phone', { kind: 'status', status: 410 })
  expect(await hearAt(start)).toEqual(expect.arrayContaining(ids.map((id) => `other ${id}`)))
})

it('tells other phones of a lead if the alert’s phone signed out before it was stored or sent', async () => {
  const { start, store, hearAt, removePhone } = await open()
  await removePhone()
  const id = await store()
  expect(await hearAt(start)).toEqual([`other ${id}`])
})

it('asks the others for the result of a call if the caller’s phone is gone', async () => {
  const { db, push, start, store, deliverAt } = await open()
  const id = await store()
  const sam = { person: 'Sam', email: nameServerPerson('Sam') }
  await record(db, id, 'called', { at: start, ...sam })
  await db.kysely.deleteFrom('pushDevices').where('id', '=', 'other000').execute()
  push.failNext('phone', { kind: 'status', status: 410 })
  const { subjects } = await deliverAt(start + 30 * minuteMs)
  expect(subjects).toEqual([expect.stringContaining('Jane Doe')])
  expect((await deliverAt(start + 31 * minuteMs)).subjects).toEqual([])
})
