import { afterEach, expect, test, vi } from 'vitest'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { hourMs, minuteMs } from '#leads/time-units.ts'
import { Refused } from './api.ts'
import { createOutbox, type Press, send as sendToServer } from './outbox.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const noConnection = new Error('No connection.')
type Answer = Error | { version: number }

/** The server sends these responses in order. Retries wait for the test to call `retry`. */
function openOutbox(...answers: Answer[]) {
  let stored = '[]'
  let at = Date.now()
  const posted: { id: string; kind: string; version: number; at?: number }[] = []
  const retries: (() => void)[] = []
  const outbox = createOutbox({
    post: async (_, event) => {
      posted.push({ ...event })
      const answer = answers.shift() ?? noConnection
      if (answer instanceof Error) throw answer
      return { lead: { sameNumber: [], ...answer } as unknown as LeadInFull }
    },
    waitToRetry: () => new Promise((resolve) => retries.push(resolve)),
    storage: {
      read: () => JSON.parse(stored),
      write: (dialed) => {
        stored = JSON.stringify(dialed)
      },
    },
    now: () => at,
  })
  const wait = (minutes: number) => {
    at += minutes * minuteMs
  }
  /** Opens the page again some minutes later, with the stored calls. */
  const reopen = (minutes: number, ...then: Answer[]) => {
    const later = openOutbox(...then)
    later.restore(stored, at)
    later.wait(minutes)
    return later
  }
  const restore = (text: string, then: number) => {
    stored = text
    at = then
  }
  const readStored = () => JSON.parse(stored)
  const errors: [string, string][] = []
  const resume = () => outbox.resume(({ message }, leadId) => errors.push([leadId, message]))
  const retryNow = () => retries.shift()?.()
  return { ...outbox, posted, resume, errors, wait, reopen, restore, readStored, retry: retryNow }
}

const tooLate = expect.stringMatching(
  /^This call wasn’t recorded, because .* Enter its result now\.$/,
)

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
  // Presses for a different lead do not wait.
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

test('a correction is sent even if the first press is pending, but a double tap is not', async () => {
  const { send, posted, retry } = openOutbox(
    noConnection,
    ...[4, 5, 6, 7, 8, 9, 10].map((version) => ({ version })),
  )
  const on = (version: number): Press => ({ kind: 'done', requests: [{ id: 'b', version }] })
  const presses: Press[] = [
    { kind: 'won', text: '12000' },
    { kind: 'won', text: '12500' },
    { kind: 'won', text: '12000' },
    on(1),
    { kind: 'done', isAlone: true },
    { kind: 'corrected', fields: { phone: '(612) 555-0112' } },
    { kind: 'corrected', fields: { email: 'jane@example.org' } },
  ]
  const sent = presses.map((press) => send(lead, { ...press }))
  expect(send(lead, { kind: 'done', isAlone: true })).toBeUndefined()
  await expect.poll(() => posted).toHaveLength(1)
  retry()
  await Promise.all(sent)
  expect(posted.slice(1)).toMatchObject(presses)
  // A poll between the two taps may have changed the version.
  void send(lead, on(1))
  expect(send(lead, on(2))).toBeUndefined()
})

test('a result that follows a note keeps the version that the person saw', async () => {
  // A colleague changed the lead before the note arrived.
  const { send, posted } = openOutbox({ version: 4 }, { version: 7 }, { version: 8 })
  void send(lead, { kind: 'called' })
  void send(lead, { kind: 'note', text: 'Dog' })
  await send(lead, { kind: 'no-answer' })
  expect(posted.map(({ version }) => version)).toEqual([3, 4, 4])
})

test('a call survives the end of the page for an hour, with its ID and version, but nothing else does', async () => {
  const before = openOutbox()
  void before.send(lead, { kind: 'called', requests: [{ id: 'b', version: 1 }] })
  void before.send({ id: 'c', version: 0 }, { kind: 'done' })
  await expect.poll(() => before.posted).toHaveLength(2)
  const dialed = before.posted.find(({ kind }) => kind === 'called')
  const after = before.reopen(59, { version: 4 })
  await after.resume()
  expect(after.posted).toEqual([dialed])
  expect(dialed).toMatchObject({ version: 3, requests: [{ id: 'b', version: 1 }] })
  expect(after.readStored()).toEqual([])
  // Without a connection, reopening the page does not reset the call's age.
  const offline = before.reopen(30)
  void offline.resume()
  await expect.poll(() => offline.posted).toHaveLength(1)
  for (const later of [offline.reopen(30, { version: 4 }), before.reopen(60, { version: 4 })]) {
    await later.resume()
    expect(later.posted).toEqual([])
    expect(later.errors).toEqual([['a', tooLate]])
    expect(later.readStored()).toEqual([])
  }
})

test('a page that stays open drops a call after an hour, and sends its result', async () => {
  const { send, posted, retry, wait, readStored, listUnsent } = openOutbox(
    noConnection,
    noConnection,
    { version: 4 },
  )
  const call = send(lead, { kind: 'called' })
  const result = send(lead, { kind: 'no-answer' })
  await expect.poll(() => posted).toHaveLength(1)
  wait(59)
  retry()
  await expect.poll(() => posted).toHaveLength(2)
  wait(1)
  retry()
  await expect(call).rejects.toThrow(expect.objectContaining({ message: tooLate }))
  expect(readStored()).toEqual([])
  await result
  expect(posted.map(({ kind }) => kind)).toEqual(['called', 'called', 'no-answer'])
  expect(listUnsent('a')).toEqual([])
})

test('a time for the next call that passed without a connection becomes now', async () => {
  const { send, posted, retry } = openOutbox(noConnection, { version: 4 })
  const at = Date.now() + hourMs
  const sent = send(lead, { kind: 'call-again', at })
  await expect.poll(() => posted).toHaveLength(1)
  vi.useFakeTimers({ now: at + 2 * hourMs, toFake: ['Date'] })
  retry()
  await sent
  expect(posted.map((event) => event.at)).toEqual([at, at + 2 * hourMs])
})

test('a stored call that the server refuses is reported', async () => {
  const before = openOutbox()
  void before.send(lead, { kind: 'called' })
  const after = before.reopen(1, new Refused(409, { message: 'Dana called.' }))
  await after.resume()
  expect(after.errors).toEqual([['a', 'Dana called.']])
})

test('the browser sends a press even if the page ends', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json({ lead: { version: 4 } }))
  vi.stubGlobal('fetch', fetch)
  await sendToServer(lead, { kind: 'called' })
  expect(fetch.mock.lastCall).toMatchObject([
    '/api/leads/a/events',
    { method: 'POST', keepalive: true },
  ])
})

test('a call that was sent or refused is not stored', async () => {
  const { send, readStored } = openOutbox(
    { version: 4 },
    new Refused(409, { message: 'Sam called.' }),
  )
  await send(lead, { kind: 'called' })
  expect(readStored()).toEqual([])
  await expect(send(lead, { kind: 'called' })).rejects.toThrow('Sam called.')
  expect(readStored()).toEqual([])
})
