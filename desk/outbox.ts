import type { Lead } from '#leads/fields.ts'
import { type EventKind, events } from '#leads/history.ts'
import { isRemark } from '#leads/lead-state.ts'
import type { LeadCard, LeadInFull } from '#leads/reports/describe.ts'
import { hourMs } from '#leads/time-units.ts'
import { isRefused, readClock, request, retryMs } from './api.ts'
import { createSignal, useSignal } from './signal.ts'
import { createStored } from './stored.ts'

type Shown = Pick<LeadCard, 'id' | 'version'>

/**
 * A button press. `text` is a note or the details of a sale, `at` is when to call again, and `requests` are the
 * other requests that the button changes.
 */
export type Press = {
  kind: EventKind
  text?: string
  at?: number
  /** For a correction: the values that the page showed, and those that were typed. */
  shown?: Partial<Lead>
  fields?: Partial<Lead>
  requests?: Shown[]
  isAlone?: true
}
type Event = Press & { id: string; version: number }

/** Ignores versions, because a poll between two taps may have changed them. */
const isSame = (press: Press, other: Press | undefined) => {
  const read = ({ kind, text, at, fields, isAlone, requests }: Press) =>
    JSON.stringify([kind, text, at, fields, isAlone, requests?.map(({ id }) => id)])
  return other !== undefined && read(press) === read(other)
}

/** A press that started a call. It is stored, because the browser may discard the page while the phone dials. */
type Dialed = { leadId: string; event: Event; at: number }

/** Don't send a call that is older than this, because the server would record it as if it had just started. */
const dialedMs = hourMs
const tooLate =
  'This call wasn’t recorded, because the desk couldn’t reach the server within an hour. Enter its result now.'

/**
 * Sends the presses for each lead in order. Without a connection, it retries while the page is open.
 * The server ignores a press whose ID it has already stored, so a retry is safe.
 */
export function createOutbox({
  post,
  waitToRetry,
  storage,
  now = Date.now,
}: {
  /** Stores the presses that started a call. */
  storage: { read: () => readonly Dialed[]; write: (dialed: readonly Dialed[]) => void }
  post: (leadId: string, event: Event) => Promise<{ lead: LeadInFull }>
  waitToRetry: () => Promise<void>
  now?: () => number
}) {
  const last = new Map<string, Promise<LeadInFull | undefined>>()
  const pending = new Map<string, readonly Press[]>()
  const failing = new Set<string>()
  const changes = createSignal()
  const listPending = (leadId: string) => pending.get(leadId) ?? []

  async function deliver(
    id: string,
    press: Press,
    event: Event,
    before: Promise<LeadInFull | undefined> | undefined,
    dialedAt = Number.POSITIVE_INFINITY,
  ): Promise<LeadInFull> {
    const checkAge = () => {
      if (now() - dialedAt >= dialedMs) throw new Error(tooLate)
    }
    pending.set(id, [...listPending(id), press])
    changes.notify()
    try {
      // Send the version that the person's previous press created, which the page may not have shown yet.
      const seen = await before
      if (seen) event.version = seen.version
      const requests = event.requests?.map(({ id, version }) => ({
        id,
        version: seen?.sameNumber.find((one) => one.id === id)?.version ?? version,
      }))
      if (requests) event.requests = requests
      checkAge()
      const answer = await retry(
        () => {
          // The chosen time may have passed while there was no connection.
          if (event.at) event.at = Math.max(event.at, readClock())
          return post(id, event)
        },
        async () => {
          failing.add(id)
          changes.notify()
          await waitToRetry()
          checkAge()
        },
      )
      return answer.lead
    } finally {
      storage.write(storage.read().filter((one) => one.event.id !== event.id))
      failing.delete(id)
      pending.set(
        id,
        listPending(id).filter((one) => one !== press),
      )
      changes.notify()
    }
  }

  return {
    changes,
    /** Returns undefined for a second tap on a button while the first one is pending. */
    send(lead: Shown, press: Press): Promise<LeadInFull> | undefined {
      const isNote = isRemark(press.kind)
      const latest = listPending(lead.id).findLast(({ kind }) => isRemark(kind) === isNote)
      if (isSame(press, latest)) return undefined
      const event = { id: makeId(), ...press, version: lead.version }
      const dialedAt = events[press.kind].call === 'started' ? now() : undefined
      if (dialedAt) storage.write([...storage.read(), { leadId: lead.id, event, at: dialedAt }])
      const before = last.get(lead.id)
      const work = deliver(lead.id, press, event, before, dialedAt)
      const settled = work
        .catch(() => undefined)
        // Ignore the version after a note, because it may include a colleague's change that the person has not seen.
        .then((after) => (isNote ? before : after))
        .finally(() => last.get(lead.id) === settled && last.delete(lead.id))
      last.set(lead.id, settled)
      return work
    },
    /** Sends the stored calls that an earlier page could not send. */
    resume: (onError: (error: Error, leadId: string) => void) =>
      Promise.all(
        storage
          .read()
          .map(({ leadId, event, at }) =>
            deliver(leadId, event, event, undefined, at).catch((error) => onError(error, leadId)),
          ),
      ),
    /** Lists the presses that could not be sent yet. */
    listUnsent: (leadId: string) => (failing.has(leadId) ? listPending(leadId) : none),
  }
}

const none: readonly Press[] = []

// crypto.randomUUID is available only over HTTPS or on localhost.
export const makeId = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Retries until the server has accepted or refused the request. Any other error may be temporary. */
export async function retry<Answer>(
  post: () => Promise<Answer>,
  wait: () => Promise<void>,
): Promise<Answer> {
  for (;;)
    try {
      return await post()
    } catch (error) {
      if (isRefused(error)) throw error
      await wait()
    }
}

export const waitToRetry = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, retryMs)
    addEventListener('online', done)
    function done() {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
  })

const dialed = createStored<readonly Dialed[]>('dialed')

const outbox = createOutbox({
  post: (leadId, body) =>
    request('POST', `/api/leads/${leadId}/events`, { body, needsData: true, keepalive: true }),
  waitToRetry,
  storage: { read: () => dialed.read() ?? [], write: dialed.write },
})

export const { resume } = outbox

/** Call this on sign-out, because another person may sign in. */
export const forgetDialed = dialed.clear

export const send = outbox.send

export const useUnsent = (leadId: string) =>
  useSignal(outbox.changes, () => outbox.listUnsent(leadId))
