import { computeChase } from '#leads/deadline.ts'
import {
  computeLatestChange,
  fold,
  isChangeKind,
  isClosed,
  isRemark,
  mapUndone,
  readNeed,
} from '#leads/lead-state.ts'
import { saleKinds } from '#leads/sale.ts'
import type { LeadRecord } from '#leads/store/find-leads.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { Sentences } from './end.ts'
import { wasEmergency } from './visits.ts'

/** Sentences that must hold for calls, their results, and the requests that share them. */
export const callSentences: Sentences = {
  *'One call ends the countdown of all requests with the same number, unless someone has just planned the next call'({
    history,
    people,
  }) {
    const isPlanned = ({ id, status, version }: { id: string; status: string; version: number }) =>
      status === 'call-again' &&
      people.presses.some(({ requests = [] }) =>
        requests.some((shown) => shown.id === id && shown.version < version),
      )
    for (const { called, open } of history.leftOpen)
      if (!isPlanned(open)) yield `${called.name}: ${open.address} was left ${open.status}`
  },

  *'Only requests with the same number share a call, and suspected spam shares none'({
    stored,
    history,
  }) {
    const copies = stored.flatMap((lead) => lead.events.map(({ id, kind }) => ({ id, kind, lead })))
    // After a correction, a request may share calls with requests that have its old number and with others that have
    // its new one.
    for (const group of Map.groupBy(copies, ({ id }) => id).values())
      for (const { kind, lead } of group) {
        const others = group.filter((one) => one.lead.id !== lead.id)
        const isShared = others.some((one) => history.sharesNumber(lead.id, one.lead.id))
        if (others.length > 0 && (!isShared || lead.suspect !== null))
          yield `${kind}: ${lead.name} and ${others.length} others`
      }
  },

  *'The result of a request is never shared'({ stored }) {
    const sales = stored.flatMap(({ events }) =>
      events.filter(({ kind }) => saleKinds.includes(kind)),
    )
    for (const [first, ...others] of Map.groupBy(sales, ({ id }) => id).values())
      if (others.length > 0) yield `${first?.kind}: ${others.length} others`
  },

  *'An Undo takes back the latest change, on all requests with the same number'({ stored }) {
    for (const { name, events } of stored) {
      const undone = mapUndone(events)
      for (const [number, undo] of undone) {
        const between = events.slice(number, undo.number - 1).map(({ kind }) => kind)
        const undos = between.filter((kind) => kind === 'undone')
        if (between.filter(isChangeKind).length !== undos.length) yield `${name}: ${between}`
      }
      const ids = new Set(events.filter(({ number }) => undone.has(number)).map(({ id }) => id))
      for (const other of stored)
        if (ids.has(computeLatestChange(other.events)?.id ?? '')) yield `${name}, ${other.name}`
    }
  },

  *'A lead that needs a call or a result has one planned step after each event, and others have none'({
    history,
  }) {
    for (const { name, status, steps } of history.misplanned) yield `${name}: ${steps}, ${status}`
  },

  *'A lead that needs a call or a result has a place on Today'({ stored, desk }) {
    for (const lead of stored) {
      const isSpamToCall = readNeed(lead) === 'first-call' && lead.suspect
      if (!isClosed(lead) && !isSpamToCall && !desk.today.has(lead.id))
        yield `${lead.name} is missing from Today`
    }
  },

  *'Nobody is asked about a call that has a result, or twice about the same call'({
    services,
    stored,
  }) {
    for (const { lead, reason } of services.claims)
      if (reason === 'unresolved' && readNeed(lead) !== 'result')
        yield `${lead.name}: ${lead.status}`
    const questions = services.messages.flatMap((message) => {
      const lead = stored.find(({ id }) => id === message.leadId)
      if (message.reason !== 'unresolved' || !lead) return []
      return [{ ...message, call: findCall(lead, message.version) }]
    })
    const name = ({ recipient, call }: (typeof questions)[number]) => `${recipient} ${call}`
    for (const [key, asked] of Map.groupBy(questions, name)) {
      const excused = asked.filter(({ isExcused }) => isExcused)
      if (asked.length > 1 + excused.length) yield `${key}: ${asked.length} times`
    }
  },

  *'A call without a result is put back in time, which is no attempt'({ stored, history, people }) {
    for (const { name, events, ...lead } of stored) {
      // The simulation ends when nothing is due, so every call without a result has been moved to “Call again.”
      if (readNeed(lead) === 'result') yield `${name} is still being called`
      for (const { id, kind, number, at } of events)
        if (kind === 'no-result') {
          const before = fold(events.slice(0, number - 1))
          if (before.attempts !== fold(events.slice(0, number)).attempts) yield `${name}: attempts`
          // Search all leads, because the emergency that shared this call may already have a separate result.
          const call = computeLatestChange(events.slice(0, number - 1))?.id
          const isUrgent = stored.some(
            (one) => wasEmergency(people, one) && one.events.some((event) => event.id === call),
          )
          // Use the longest wait, because after an Undo, a request is moved together with those that share its call.
          const waitedMs = Math.max(
            ...stored.flatMap((one) => {
              const index = one.events.findIndex((event) => event.id === id)
              return index < 0 ? [] : [at - (fold(one.events.slice(0, index)).changedAt ?? at)]
            }),
          )
          // An erased request may have been the emergency.
          const { putBackAfterMs } = computeChase(isUrgent || history.erased.length > 0)
          if (waitedMs < putBackAfterMs) yield `${name}: after ${waitedMs / minuteMs} minutes`
        }
    }
  },
}

/** Returns the ID of the latest change in this version of a lead. */
function findCall({ events }: LeadRecord, version: number): string | undefined {
  const counted = events.filter(({ kind }) => !isRemark(kind)).slice(0, version)
  return computeLatestChange(counted)?.id
}
