import { formatDay } from '#leads/clock.ts'
import { fold } from '#leads/lead-state.ts'
import type { LeadRecord } from '#leads/store/find-leads.ts'
import { minuteMs } from '#leads/time-units.ts'
import { crew } from './crew.ts'
import type { Sentences } from './end.ts'
import type { Message } from './services.ts'
import { findKind, isSpam } from './visits.ts'

/**
 * An alert that is planned this close to the removal of its phone may not arrive: a minute, plus two clock jumps of up
 * to 90 s.
 */
const removalMs = 4 * minuteMs

/** Sentences that must hold for alerts and reminders. */
export const alertSentences: Sentences = {
  *'An alert that was due reached its service'({ stored, services, recipients, people }) {
    for (const lead of stored) {
      const { id, name, address, receivedAt, promiseStartAt, deliveries } = lead
      for (const { recipient, getsSpam } of recipients) {
        if (!getsSpam && isSpam(people, address)) continue
        if (findKind(people, address) === 'by hand, calling') continue
        const isAlert = (one: { recipient: string; reason: string }) =>
          one.reason === 'received' && recipient.test(one.recipient)
        const isAccepted = services.messages.some((one) => one.leadId === id && isAlert(one))
        const row = deliveries.find(isAlert)
        // Only alerts that wake phones wait until we open.
        const waits = !getsSpam && (promiseStartAt ?? 0) > receivedAt
        const isUnneeded = waits && isCalledBeforeAlert(lead, promiseStartAt ?? 0)
        if (!isAccepted && !isUnneeded)
          yield `${name}: ${recipient} is ${row?.state ?? 'not planned'}`
      }
    }
  },

  *'The phones of the time when an alert is due get it, even if the lead arrived before they were added'(
    end,
  ) {
    for (const lead of end.stored) {
      const { name, address, promiseStartAt, receivedAt } = lead
      if (promiseStartAt === null || isSpam(end.people, address)) continue
      if (findKind(end.people, address) === 'by hand, calling') continue
      const isNight = promiseStartAt > receivedAt
      if (isNight && isCalledBeforeAlert(lead, promiseStartAt)) continue
      for (const { id, recipient, addedAt, removedAt } of end.phones) {
        // During a fault, daytime alerts go to the phones that were read last.
        const isOfTheTime = isNight ? addedAt < promiseStartAt : isFirst(id)
        const isAlert = (one: { recipient: string; reason: string }) =>
          one.recipient === recipient && one.reason === 'received'
        const isAccepted = end.services.messages.some(
          (one) => one.leadId === lead.id && isAlert(one),
        )
        const row = lead.deliveries.find(isAlert)
        // A phone that was removed later got the alert, unless the push service failed until the removal.
        const isExcused =
          removedAt !== undefined &&
          (removedAt <= promiseStartAt + removalMs || (row?.attempts ?? 0) > 0)
        if (isOfTheTime && !isExcused && !isAccepted) yield `${name}: ${id}`
      }
    }
  },

  *'A notification replaces one about a lead that still needs a call only if it is about that lead, too'({
    services,
    history,
  }) {
    const shown = new Map<string, Set<string>>()
    const pushed = services.messages.filter(({ notification }) => notification !== undefined)
    for (const [notification, messages] of Map.groupBy(pushed, (one) => one.notification)) {
      const { recipient } = messages[0] as Message
      const key = `${recipient} ${notification?.tag}`
      const leadIds = new Set(notification?.shownIds)
      const before = shown.get(key)
      shown.set(key, leadIds)
      for (const leadId of before ?? [])
        if (!leadIds.has(leadId) && history.isUntouched(leadId))
          yield `${recipient}: ${history.leads.get(leadId)?.name}`
    }
  },

  *'A lead that someone added while calling causes no alert, unless the call is undone'({
    stored,
    services,
    people,
  }) {
    for (const { id, name, address, events } of stored) {
      if (findKind(people, address) !== 'by hand, calling') continue
      if (events.some(({ kind }) => kind === 'undone')) continue
      for (const { leadId, recipient, reason } of services.messages)
        if (leadId === id && recipient !== 'airtable' && reason === 'received')
          yield `${name}: ${recipient}`
    }
  },

  *'A delivery is recorded as sent only if its service accepted it, and no alert expires unless its phone was removed at about the same time'(
    end,
  ) {
    for (const { id, name, deliveries } of end.stored)
      for (const { recipient, reason, state, dueAt } of deliveries) {
        if (recipient === 'airtable') continue
        const isAccepted = end.services.messages.some(
          (one) => one.leadId === id && one.recipient === recipient && one.reason === reason,
        )
        if (state === 'sent' && !isAccepted)
          yield `${name}: ${recipient} ${reason} was not accepted`
        // A process may have read the phones just before one was removed.
        const { removedAt } = end.phones.find((one) => one.recipient === recipient) ?? {}
        const isRemoved = removedAt !== undefined && Math.abs(removedAt - dueAt) <= removalMs
        if (state === 'expired' && recipient !== 'confirmation' && !isRemoved)
          yield `${name}: ${recipient} expired`
      }
  },

  *'An alert or a reminder goes out once per recipient, unless its sender could not know that it was accepted'({
    services,
    history,
    hours,
  }) {
    const isCounted = ({ recipient, reason }: Message) =>
      recipient !== 'airtable' && reason !== 'called'
    // The homeowner gets one email per day about unanswered calls.
    const nameDay = ({ reason, at }: Message) =>
      reason === 'unreached' ? formatDay(at, hours.timeZone) : ''
    const name = (one: Message) => `${one.recipient} ${one.reason} ${one.leadId} ${nameDay(one)}`
    for (const [key, sent] of Map.groupBy(services.messages.filter(isCounted), name)) {
      const { reason = '', leadId = '' } = sent[0] ?? {}
      const isReminder = reason !== 'received' && reason !== 'unreached'
      const restarts = isReminder ? history.countRestarts(leadId) : 0
      const excused = sent.filter(({ isExcused }) => isExcused)
      if (sent.length > 1 + restarts + excused.length) yield `${key}: ${sent.length} times`
    }
  },
}

const isFirst = (phoneId: string) => crew.some(({ person }) => phoneId === person.padEnd(8, '0'))

/** Returns true if someone changed the lead before the crew was alerted when the company opened. */
function isCalledBeforeAlert({ events, deliveries, receivedAt }: LeadRecord, openingAt: number) {
  const alerts = deliveries.filter(
    ({ reason, dueAt }) =>
      /^(uncalled|missed)/.test(reason) || (reason === 'received' && dueAt > receivedAt),
  )
  const alertedAt = Math.min(...alerts.map(({ dueAt }) => dueAt))
  const night = events.filter(({ at }) => at <= openingAt)
  const isLate = ({ at }: { at: number }) => at > openingAt && at <= alertedAt
  return fold(night).status !== 'open' || events.some(isLate)
}
