import { computeLatestChange, fold, isChangeKind, mapUndone } from '#leads/history.ts'
import { type BusinessHours, computeOpening } from '#leads/hours.ts'
import { nameAddress } from '#leads/store/confirmation-limits.ts'
import type { LeadRecord } from '#leads/store/reading.ts'
import { computeStatus, listRows, listStatuses } from './airtable-rows.ts'
import type { DeskView } from './desk-view.ts'
import { describeChange, describeState, type History } from './observed-changes.ts'
import { findKind, hasErased, isSpam, type People, type Press } from './people.ts'
import type { Message, Services } from './services.ts'
import { minuteMs } from './world.ts'

/** The end of a simulation: all that happened, and what the product has stored and shows. */
export type End = {
  hours: BusinessHours
  history: History
  people: People
  services: Services
  stored: readonly LeadRecord[]
  desk: DeskView
  /** The channels that alert the crew of a lead. */
  recipients: readonly { channel: RegExp; getsSpam: boolean }[]
}

/** A sentence, and a function that finds where it does not hold. */
type Sentences = Record<string, (end: End) => Iterable<string>>

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
      // Without a key, the server recognizes a copy only in the same minute and the next.
      const isCopy = (minute: number) =>
        kind !== 'without JavaScript' || minute === first || minute - 1 === first
      if (copies.some(isCopy)) yield `${name}: ${copies.length + 1} times`
    }
  },

  *'A stored lead has exactly one Airtable row with the right Status, unless a person chose another'(
    end,
  ) {
    for (const lead of end.stored) {
      const rows = listRows(end, lead.id)
      const status = rows[0]?.fields.Status
      const isRight = listStatuses(end, lead).includes(status)
      // Erasing starts in Airtable. If the database fails then, the desk shows an error and keeps the lead.
      const isHalfErased = rows.length === 0 && hasErased(end.people, lead.id, 'everywhere')
      if (!isHalfErased && !(rows.length === 1 && isRight))
        yield `${lead.name}: ${rows.length} rows, ${status} instead of ${computeStatus(lead)}`
    }
  },

  *'An erased lead has no Airtable row, except after “Erase here only” or an upsert by a process that lost its lease'(
    end,
  ) {
    for (const { lead } of end.history.erased) {
      const isLate = end.services.writes.some((write) => write.leadId === lead.id && write.isLate)
      const isHereOnly = hasErased(end.people, lead.id, 'here only')
      if (listRows(end, lead.id).length > 0 && !isLate && !isHereOnly) yield lead.name
    }
  },

  *'An alert that was due reached its service'({ stored, services, recipients, people }) {
    for (const { id, name, address, receivedAt, deliveries } of stored)
      for (const { channel, getsSpam } of recipients) {
        if (!getsSpam && isSpam(people, address)) continue
        if (findKind(people, address) === 'by hand, calling') continue
        const isAlert = (one: { channel: string; reason: string }) =>
          one.reason === 'received' && channel.test(one.channel)
        const isAccepted = services.messages.some((one) => one.leadId === id && isAlert(one))
        const row = deliveries.find(isAlert)
        // Someone called before we opened.
        const isUnneeded = row?.state === 'cancelled' && row.dueAt > receivedAt
        if (!isAccepted && !isUnneeded)
          yield `${name}: ${channel} is ${row?.state ?? 'not planned'}`
      }
  },

  *'A lead that someone added while calling causes no alert'({ stored, services, people }) {
    for (const { id, name, address } of stored) {
      if (findKind(people, address) !== 'by hand, calling') continue
      for (const { leadId, channel, reason } of services.messages)
        if (leadId === id && channel !== 'airtable' && reason === 'received')
          yield `${name}: ${channel}`
    }
  },

  *'One call ends the countdown of all requests of a homeowner'({ history }) {
    for (const { called, open } of history.leftOpen)
      yield `${called.name}: ${open.address} was left ${open.status}`
  },

  *'An Undo takes back the latest change, on all requests of a homeowner'({ stored }) {
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

  *'A delivery is recorded as sent only if its service accepted it, and no alert expires'(end) {
    for (const { id, name, deliveries } of end.stored)
      for (const { channel, reason, state } of deliveries) {
        if (channel === 'airtable') continue
        const isAccepted = end.services.messages.some(
          (one) => one.leadId === id && one.channel === channel && one.reason === reason,
        )
        if (state === 'sent' && !isAccepted) yield `${name}: ${channel} ${reason} was not accepted`
        if (state === 'expired' && channel !== 'confirmation') yield `${name}: ${channel} expired`
      }
  },

  *'An alert or a reminder goes out once per recipient, unless its sender could not know that it was accepted'({
    services,
    history,
  }) {
    const isCounted = ({ channel, reason }: Message) =>
      channel !== 'airtable' && reason !== 'called'
    const name = ({ channel, reason, leadId }: Message) => `${channel} ${reason} ${leadId}`
    for (const [key, sent] of Map.groupBy(services.messages.filter(isCounted), name)) {
      const { reason = '', leadId = '' } = sent[0] ?? {}
      const isReminder = reason !== 'received' && reason !== 'unreached'
      const restarts = isReminder ? history.countRestarts(leadId) : 0
      const excused = sent.filter(({ isExcused }) => isExcused)
      if (sent.length > 1 + restarts + excused.length) yield `${key}: ${sent.length} times`
    }
  },

  *'No reminder is claimed after a call was recorded, except the planned one after “No answer”'(
    end,
  ) {
    for (const { lead, reason } of listReminders(end))
      if (lead.status !== 'open' && lead.status !== 'call-again') yield `${lead.name}: ${reason}`
  },

  *'No homeowner gets an email about a call that was undone'({ services }) {
    for (const { lead, reason } of services.claims)
      if (reason === 'unreached' && lead.attempts === 0) yield lead.name
  },

  *'No reminder goes out before we open, and none about suspected spam'({
    history,
    hours,
    ...end
  }) {
    for (const { lead, reason, at, trueAt } of listReminders(end)) {
      const reopenedAt = history
        .listReversals()
        .findLast((change) => change.after.id === lead.id && change.trueAt <= trueAt)?.at
      const isWaiting = reopenedAt !== undefined && lead.serviceType !== 'emergency'
      const from = Math.max(
        lead.promiseStartAt ?? Number.POSITIVE_INFINITY,
        lead.callAgainAt ?? (isWaiting ? computeOpening(reopenedAt, hours) : 0),
      )
      if (at < from || isSpam(end.people, lead.address)) yield `${lead.name}: ${reason}`
    }
  },

  *'No open lead is left without its last reminder'({ stored, people }) {
    for (const { name, status, deliveries, ...lead } of stored) {
      const last = status === 'open' ? 'missed' : `again-${lead.attempts}`
      if (
        (status === 'open' || status === 'call-again') &&
        !isSpam(people, lead.address) &&
        !deliveries.some(({ reason }) => reason === last)
      )
        yield `${name}: ${last}`
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
        ({ leadId, channel, reason }) =>
          leadId === id && channel === 'confirmation' && reason === 'received',
      )
    const confirmed = stored.filter(isConfirmed)
    for (const lead of confirmed) if (isSpam(people, lead.address)) yield lead.name
    for (const { id, name, address } of stored)
      if (findKind(people, address)?.startsWith('by hand'))
        if (services.messages.some((one) => one.leadId === id && one.channel === 'confirmation'))
          yield name
    const erased = history.erased.map(({ lead }) => lead.address)
    const forgotten = people.visits
      .filter(({ address }) => erased.includes(address))
      .map(({ email }) => nameAddress(email))
    const key = ({ email, receivedAt }: LeadRecord) =>
      `${nameAddress(email)} ${new Date(receivedAt).toISOString().slice(0, 10)}`
    // Erasing a lead also erases the record that its address got a confirmation.
    for (const [first, ...others] of Map.groupBy(confirmed, key).values())
      if (first && others.length > 0 && !forgotten.includes(nameAddress(first.email)))
        yield [first, ...others].map(({ name }) => name).join(', ')
  },

  *'Nothing is taken back except by an Undo from a page that showed the current state'({
    history,
    people,
  }) {
    for (const { before, after } of history.listReversals()) {
      const isUndo = ({ leadId, name, kind, version }: Press) =>
        kind === 'undone' &&
        (leadId === after.id ? version === before.version : name === after.name)
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
        // The page showed only one of the homeowner's requests.
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
      const needsCall = lead.status === 'call-again' || (lead.status === 'open' && !lead.suspect)
      if (needsCall && !desk.today.has(lead.id))
        yield `${lead.name} is missing from the list of leads to call`
    }
    for (const ids of [desk.search, desk.spreadsheet])
      if (ids.size !== stored.length) yield `${ids.size} leads instead of ${stored.length}`
  },
}

const listReminders = ({ services }: Pick<End, 'services'>) =>
  services.claims.filter(({ reason }) => /^(uncalled|missed|again)/.test(reason))
