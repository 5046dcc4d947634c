import { expect, it } from 'vitest'
import type { EventKind, HistoryEvent } from './history.ts'
import { fold, plansCall } from './lead-state.ts'

/** Makes events at the times 1, 2, and so on. An event that plans a call plans it for 30 later. */
const makeEvents = (...kinds: EventKind[]): HistoryEvent[] =>
  kinds.map((kind, at) => ({
    number: at + 1,
    id: String(at),
    at: at + 1,
    kind,
    person: at % 2 === 0 ? 'Sam' : 'Dana',
    email: null,
    via: 'desk',
    text: null,
    callAgainAt: plansCall(kind) ? at + 31 : null,
  }))
const foldKinds = (...kinds: EventKind[]) => fold(makeEvents(...kinds))

it.each<[EventKind[], string, string | null]>([
  [[], 'open', null],
  [['called'], 'calling', 'Sam'],
  [['called', 'done'], 'done', 'Sam'],
  [['done'], 'done', 'Sam'],
  [['called', 'no-answer'], 'call-again', 'Dana'],
  [['no-answer', 'called'], 'calling', 'Dana'],
  [['note', 'texted'], 'open', null],
  [['done', 'undone'], 'open', null],
  [['done', 'not-a-lead', 'undone'], 'done', 'Sam'],
  [['done', 'not-a-lead', 'undone', 'undone'], 'open', null],
  [['called', 'undone', 'note', 'called'], 'calling', 'Dana'],
])('after %j, a lead is %s and its caller is %s', (kinds, status, caller) => {
  expect(foldKinds(...kinds)).toMatchObject({ status, caller })
})

it('keeps the time of the first call, and counts calls without an answer', () => {
  const twice = foldKinds('no-answer', 'no-answer')
  expect(twice).toMatchObject({ calledAt: 1, attempts: 2, callAgainAt: 32 })
  expect(foldKinds('no-answer', 'no-answer', 'undone')).toEqual({
    ...foldKinds('no-answer'),
    version: 3,
    changedAt: 3,
  })
})

it('counts changes in the version, but not notes', () => {
  expect(foldKinds('called', 'note', 'texted', 'undone').version).toBe(2)
})
