import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { testTime as start, storeLead } from '#testing/saved-leads.ts'
import { minuteMs } from '../time-units.ts'
import { appendEvent } from './append-event.ts'
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

it('makes the planned call of suspected spam due again if its time has passed before an Undo', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db, { suspect: 'trap', stepAt: undefined })
  const callAgainAt = start + 30 * minuteMs
  const undoneAt = start + 60 * minuteMs
  const steps = [
    { kind: 'no-answer', at: start, callAgainAt },
    { kind: 'done', at: start + minuteMs },
    { kind: 'undone', at: undoneAt, version: 2 },
  ] as const
  for (const step of steps) {
    const event = { ...step, id: crypto.randomUUID(), via: 'desk' } as const
    // Suspected spam has no countdown to start over.
    await appendEvent(db, id, event, {
      rowRecipients: [],
      computeStartOverAt: () => null,
      now: step.at,
    })
  }
  const rows = db.kysely.selectFrom('deliveries').select('dueAt').where('recipient', '=', crew)
  expect(await rows.execute()).toEqual([{ dueAt: undoneAt }])
})
