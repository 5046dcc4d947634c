import { expect, test } from 'vitest'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { Refused } from './api.ts'
import { createOutbox } from './outbox.ts'

const noConnection = new Error('No connection.')
type Answer = Error | { version: number }

/** The server sends these responses in order. Retries wait for the test to call `retry`. */
function openOutbox(...answers: Answer[]) {
  const posted: { id: string; kind: string; version: number }[] = []
  const retries: (() => void)[] = []
  const outbox = createOutbox({
    post: async (_, event) => {
      posted.push({ ...event })
      const answer = answers.shift() ?? noConnection
      if (answer instanceof Error) throw answer
      return { lead: answer as LeadInFull }
    },
    waitToRetry: () => new Promise((resolve) => retries.push(resolve)),
  })
  return { ...outbox, posted, retry: () => retries.shift()?.() }
}

const lead = { id: 'a', version: 3 }

test('retries with the same ID, and shows what is not sent until then', async () => {
  const { send, listUnsent, posted, retry } = openOutbox(noConnection, { version: 4 })
  const called = send(lead, { kind: 'called' })
  await expect.poll(() => listUnsent('a')).toEqual([{ kind: 'called' }])
  retry()
  expect(await called).toEqual({ version: 4 })
  expect(listUnsent('a')).toEqual([])
  expect(posted).toHaveLength(2)
  expect(posted[0]).toEqual(posted[1])
})

test('keeps the order of each lead, and builds on the result of the press before', async () => {
  const { send, listUnsent, posted, retry } = openOutbox(
    noConnection,
    { version: 1 },
    { version: 4 },
    { version: 5 },
  )
  void send(lead, { kind: 'called' })
  const undone = send(lead, { kind: 'undone' })
  await expect.poll(() => listUnsent('a')).toEqual([{ kind: 'called' }, { kind: 'undone' }])
  // Another lead does not wait.
  await send({ id: 'b', version: 0 }, { kind: 'done' })
  retry()
  await undone
  expect(posted.map(({ kind, version }) => [kind, version])).toEqual([
    ['called', 3],
    ['done', 0],
    ['called', 3],
    ['undone', 4],
  ])
})

test('a refused press is not sent again, and a later one keeps the version that the page showed', async () => {
  const taken = new Refused(409, { message: 'Sam called just now.' })
  const { send, listUnsent, posted } = openOutbox(taken, { version: 5 })
  const called = send(lead, { kind: 'called' })
  const done = send(lead, { kind: 'done' })
  await expect(called).rejects.toBe(taken)
  await done
  expect(posted.map(({ kind, version }) => [kind, version])).toEqual([
    ['called', 3],
    ['done', 3],
  ])
  expect(listUnsent('a')).toEqual([])
})

test('a second tap on the same button is ignored, but not a second note', async () => {
  const { send, posted } = openOutbox({ version: 4 }, { version: 4 }, { version: 4 })
  const first = send(lead, { kind: 'no-answer' })
  expect(send(lead, { kind: 'no-answer' })).toBeUndefined()
  await first
  void send(lead, { kind: 'note', text: 'Gate code 12' })
  await send(lead, { kind: 'note', text: 'Dog' })
  expect(posted.map(({ kind }) => kind)).toEqual(['no-answer', 'note', 'note'])
})
