import { expect, test } from 'vitest'
import type { LeadInFull } from '#leads/reports/describe.ts'
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

test('a second tap on the same button is ignored, but not a second note', async () => {
  const { send, posted } = openOutbox({ version: 4 }, { version: 4 }, { version: 4 })
  const first = send(lead, { kind: 'no-answer' })
  expect(send(lead, { kind: 'no-answer' })).toBeUndefined()
  await first
  void send(lead, { kind: 'note', text: 'Gate code 12' })
  await send(lead, { kind: 'note', text: 'Dog' })
  expect(posted.map(({ kind }) => kind)).toEqual(['no-answer', 'note', 'note'])
})
