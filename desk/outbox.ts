import type { EventKind } from '#leads/history.ts'
import type { LeadCard, LeadInFull } from '#leads/reports/describe.ts'
import { Refused, request, SignedOut } from './api.ts'
import { createSignal, useSignal } from './signal.ts'

/** A press of a button. `at` is when to call again. */
export type Press = { kind: EventKind; text?: string; at?: number }
type Shown = Pick<LeadCard, 'id' | 'version'>
type Event = Press & { id: string; version: number }

/**
 * Sends presses in order for each lead. Without a connection, it retries while the page is open.
 * The server ignores an ID that it has already stored, so a retry is safe.
 */
export function createOutbox({
  post,
  waitToRetry,
}: {
  post: (leadId: string, event: Event) => Promise<{ lead: LeadInFull }>
  waitToRetry: () => Promise<void>
}) {
  const last = new Map<string, Promise<LeadInFull | undefined>>()
  const pending = new Map<string, readonly Press[]>()
  const failing = new Set<string>()
  const changes = createSignal()
  const listPending = (leadId: string) => pending.get(leadId) ?? []

  async function deliver(
    { id, version }: Shown,
    press: Press,
    before: Promise<LeadInFull | undefined> | undefined,
  ): Promise<LeadInFull> {
    const event = { id: makeId(), ...press, version }
    pending.set(id, [...listPending(id), press])
    changes.notify()
    try {
      // The person saw the result of the press before this one.
      event.version = (await before)?.version ?? version
      const answer = await retry(
        () => post(id, event),
        () => {
          failing.add(id)
          changes.notify()
          return waitToRetry()
        },
      )
      return answer.lead
    } finally {
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
    /** Returns undefined for a second tap on the same button. */
    send(lead: Shown, press: Press): Promise<LeadInFull> | undefined {
      const isRepeated = listPending(lead.id).some(({ kind }) => kind === press.kind)
      if (isRepeated && press.kind !== 'note') return undefined
      const work = deliver(lead, press, last.get(lead.id))
      const settled = work
        .catch(() => undefined)
        .finally(() => last.get(lead.id) === settled && last.delete(lead.id))
      last.set(lead.id, settled)
      return work
    },
    /** Lists what could not be sent yet. */
    listUnsent: (leadId: string) => (failing.has(leadId) ? listPending(leadId) : none),
  }
}

const none: readonly Press[] = []

// crypto.randomUUID is available only on HTTPS pages.
export const makeId = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Sends until the server has accepted or refused the request. Any other error may be temporary. */
export async function retry<Answer>(
  post: () => Promise<Answer>,
  wait: () => Promise<void>,
): Promise<Answer> {
  for (;;)
    try {
      return await post()
    } catch (error) {
      const isRefused = error instanceof Refused && error.status < 500
      if (isRefused || error instanceof SignedOut) throw error
      await wait()
    }
}

const retryMs = 3_000

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

const outbox = createOutbox({
  post: (leadId, body) => request('POST', `/api/leads/${leadId}/events`, { body, needsData: true }),
  waitToRetry,
})

export const send = outbox.send

export const useUnsent = (leadId: string) =>
  useSignal(outbox.changes, () => outbox.listUnsent(leadId))
