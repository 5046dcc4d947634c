import { computeOpening } from '#leads/hours.ts'
import { fold, mapUndone, needsCall, readNeed } from '#leads/lead-state.ts'
import type { LeadRecord } from '#leads/store/find-leads.ts'
import { nameAddress } from '#leads/store/limits.ts'
import { minuteMs } from '#leads/time-units.ts'
import { airtableSentences } from './airtable-sentences.ts'
import { alertSentences } from './alert-sentences.ts'
import { callSentences } from './call-sentences.ts'
import type { Press } from './crew.ts'
import { digestSentences } from './digest-sentences.ts'
import type { End, Sentences } from './end.ts'
import { describeChange, describeState } from './observed-changes.ts'
import { findKind, isSpam, wasEmergency } from './visits.ts'

/** The promises of the back end. */
export const sentences: Sentences = {
  *'An acknowledged lead is stored once'({ people, stored, history }) {
    const order = [...history.leads.keys()]
    for (const { name, address, kind, isAcknowledged } of people.visits) {
      const [first, ...copies] = stored
        .filter((lead) => lead.address === address)
        .sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
        .map(({ receivedAt }) => Math.floor(receivedAt / minuteMs))
      const isErased = history.erased.some(({ lead }) => lead.address === address)
      if (isAcknowledged && first === undefined && !isErased) yield `${name} is missing`
      // Without a key, the server recognizes a copy only in the same minute and in the next one.
      const isCopy = (minute: number) =>
        kind !== 'without JavaScript' || minute === first || minute - 1 === first
      if (copies.some(isCopy)) yield `${name}: ${copies.length + 1} times`
    }
  },

  ...airtableSentences,

  ...alertSentences,
  ...digestSentences,
  ...callSentences,

  *'No reminder is claimed after a call was recorded, except the planned one after “No answer”'(
    end,
  ) {
    for (const { lead, reason } of listReminders(end))
      if (!needsCall(lead)) yield `${lead.name}: ${reason}`
  },

  *'No homeowner gets an email about a call that was undone'({ services }) {
    for (const { lead, reason } of services.claims)
      if (reason === 'unreached' && lead.attempts === 0) yield lead.name
  },

  *'No reminder goes out before we open, and none about suspected spam that nobody called'({
    history,
    hours,
    ...end
  }) {
    for (const { lead, reason, at, trueAt } of listReminders(end)) {
      const reopenedAt = history
        .listReversals()
        .findLast((change) => change.after.id === lead.id && change.trueAt <= trueAt)?.at
      const isWaiting = reopenedAt !== undefined && !wasEmergency(end.people, lead)
      // A homeowner may have asked for a call before we open.
      const from =
        lead.callAgainAt ??
        Math.max(
          lead.promiseStartAt ?? Number.POSITIVE_INFINITY,
          isWaiting ? computeOpening(reopenedAt, hours) : 0,
        )
      const isUnwanted = isSpam(end.people, lead.address) && lead.calledAt === null
      if (at < from || isUnwanted) yield `${lead.name}: ${reason}`
    }
  },

  *'No lead is left without its last reminder, which requests with the same next call share'({
    stored,
    people,
    history,
  }) {
    for (const lead of stored) {
      const isFirst = readNeed(lead) === 'first-call'
      if (!needsCall(lead) || (isFirst && isSpam(people, lead.address))) continue
      const last = isFirst ? 'missed' : `again-${lead.attempts}-repeat`
      const others = [...stored, ...history.erased.map((one) => one.lead)].filter(
        ({ id }) => !isFirst && history.sharesNumber(id, lead.id),
      )
      // Someone may have called about the other request, or erased it, since then.
      const isShared = others.some(
        (one) =>
          !('deliveries' in one) ||
          one.deliveries.some(
            ({ reason, dueAt }) =>
              /^again-\d+-repeat$/.test(reason) && dueAt >= (lead.callAgainAt ?? 0),
          ),
      )
      if (!isShared && !lead.deliveries.some(({ reason }) => reason === last))
        yield `${lead.name}: ${last}`
    }
  },

  *'An address gets one confirmation per day, suspected spam none, and callers no email at all'({
    stored,
    services,
    history,
    people,
  }) {
    const isConfirmed = ({ id }: { id: string }) =>
      services.messages.some(
        ({ leadId, recipient, reason }) =>
          leadId === id && recipient === 'confirmation' && reason === 'received',
      )
    const confirmed = stored.filter(isConfirmed)
    for (const lead of confirmed) if (isSpam(people, lead.address)) yield lead.name
    for (const { id, name, address } of stored)
      if (findKind(people, address)?.startsWith('by hand'))
        if (services.messages.some((one) => one.leadId === id && one.recipient === 'confirmation'))
          yield name
    const erased = history.erased.map(({ lead }) => lead.address)
    const forgotten = people.visits
      .filter(({ address }) => erased.includes(address))
      .map(({ email }) => nameAddress(email))
    const key = ({ email, receivedAt }: LeadRecord) =>
      `${nameAddress(email)} ${new Date(receivedAt).toISOString().slice(0, 10)}`
    // Erasing a lead also erases the record that its email address got a confirmation.
    for (const [first, ...others] of Map.groupBy(confirmed, key).values())
      if (first && others.length > 0 && !forgotten.includes(nameAddress(first.email)))
        yield [first, ...others].map(({ name }) => name).join(', ')
  },

  *'Nothing is taken back except by an Undo from a page that showed the current state'({
    history,
    people,
  }) {
    for (const { before, after } of history.listReversals()) {
      const isUndo = ({ leadId, kind, version }: Press) =>
        kind === 'undone' &&
        (leadId === after.id ? version === before.version : history.sharesNumber(leadId, after.id))
      if (!people.presses.some(isUndo)) yield `${after.name}: ${describeChange(before, after)}`
    }
  },

  *'A stored press is never refused, however often the phone sends it'({
    people,
    stored,
    history,
  }) {
    for (const { id, leadId, kind, responses } of people.presses) {
      if (!stored.some((lead) => lead.id === leadId)) continue
      const storedAt = history.storedAt.get(`${leadId} ${id}`) ?? Number.POSITIVE_INFINITY
      const later = responses.filter(({ sentAt }) => sentAt >= storedAt).map(({ status }) => status)
      if (later.some((status) => status !== 200 && status !== 503)) yield `${kind}: ${later}`
    }
  },

  *'A change is stored once, and the version counts it'({ history, stored }) {
    for (const { before, after } of history.changes)
      if (after.version <= before.version) yield `${after.name}: ${describeChange(before, after)}`
    for (const { name, events } of stored)
      if (new Set(events.map(({ id }) => id)).size !== events.length) yield name
  },

  *'A second call without an answer and an Undo count only from a page that showed the current state'({
    stored,
    people,
  }) {
    for (const { id: leadId, name, events } of stored) {
      const undone = mapUndone(events)
      const calls = events.filter(
        ({ kind, number }) => !undone.has(number) && (kind === 'called' || kind === 'no-answer'),
      )
      const seconds = calls.filter(
        ({ kind }, at) => kind === 'no-answer' && calls[at - 1]?.kind === 'no-answer',
      )
      for (const { id, number } of [
        ...seconds,
        ...events.filter(({ kind }) => kind === 'undone'),
      ]) {
        const press = people.presses.find((one) => one.id === id)
        const { version } = fold(events.slice(0, number - 1))
        // The page showed only one of the requests with this number.
        if (press?.leadId === leadId && press.version !== version)
          yield `${name}: ${press.version}, ${version}`
      }
    }
  },

  *'Desk, export, and history agree'({ stored, desk }) {
    for (const lead of stored) {
      const folded = fold(lead.events)
      const differences = describeChange(lead, folded)
      if (differences) yield `${lead.name}: the history gives ${differences}`
      const state = describeState(folded)
      const views = {
        search: desk.search.get(lead.id),
        page: desk.pages.get(lead.id),
        export: desk.spreadsheet.get(lead.id),
      }
      for (const [name, view] of Object.entries(views))
        if (view !== state) yield `${lead.name}: ${name} shows ${view} instead of ${state}`
    }
    for (const ids of [desk.search, desk.spreadsheet])
      if (ids.size !== stored.length) yield `${ids.size} leads instead of ${stored.length}`
  },
}

const listReminders = ({ services }: Pick<End, 'services'>) =>
  services.claims.filter(({ reason }) => /^(uncalled|missed|again)/.test(reason))
