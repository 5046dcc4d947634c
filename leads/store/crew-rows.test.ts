import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { testTime as start, storeLead } from '#testing/saved-leads.ts'
import { minuteMs } from '../time-units.ts'
import { crew, takeSteps } from './crew-rows.ts'

it('takes the step of a request only with that of the one whose reminder it shares', async () => {
  const db = await openTestDatabase('sqlite')
  const [id, other] = [await storeLead(db), await storeLead(db)]
  const dueAt = start + 4 * minuteMs
  const step = { reason: undefined, recipients: [], nextAt: start + 60 * minuteMs }
  const shared = (version: number) => [
    { ...step, lead: { id: other, version: 0, dueAt }, sharedWith: { id, version } },
    { ...step, lead: { id, version: 5, dueAt } },
  ]
  await takeSteps(db, shared(5), dueAt)
  const rows = db.kysely.selectFrom('deliveries').select('dueAt').where('recipient', '=', crew)
  expect(await rows.execute()).toEqual([{ dueAt }, { dueAt }])
  await takeSteps(db, shared(0), dueAt)
  expect((await rows.orderBy('dueAt').execute()).map((row) => row.dueAt)).toEqual([
    dueAt,
    step.nextAt,
  ])
})
