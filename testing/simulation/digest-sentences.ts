import { computeDay, formatDay } from '#leads/clock.ts'
import { type BusinessHours, isOpen } from '#leads/hours.ts'
import { readNeed } from '#leads/lead-state.ts'
import type { Need } from '#leads/statuses.ts'
import { hourMs } from '#leads/time-units.ts'
import type { Sentences } from './end.ts'
import type { SeenLead } from './observed-changes.ts'
import { readNumber } from './people.ts'

/** Sentences that must hold for digests. */
export const digestSentences: Sentences = {
  *'An owner and a phone get at most one digest per opening, only if something is to do, with the counts of that moment'({
    services,
    hours,
  }) {
    const name = ({ recipient, at }: { recipient: string; at: number }) =>
      `${recipient} on ${formatDay(at, hours.timeZone)}`
    for (const [key, sent] of Map.groupBy(services.digests, name))
      if (sent.length > 1 + sent.filter(({ isExcused }) => isExcused).length)
        yield `${key}: ${sent.length} times`
    for (const claim of services.digestClaims) {
      const { text, expected, at } = claim
      if (text !== expected || text === '') yield `${name(claim)}: ${text} instead of ${expected}`
      if (!isOpen(at, hours) || isOpen(at - 4 * hourMs, hours)) yield `${name(claim)} is too late`
    }
  },

  *'The owner gets a digest at each opening at which a homeowner waits'({
    services,
    history,
    hours,
    stored,
    endAt,
  }) {
    const listDays = (emails: readonly { recipient: string; at: number }[]) =>
      emails.map(({ at }) => formatDay(at, hours.timeZone))
    const told = listDays(services.digests.filter(({ recipient }) => /email/.test(recipient)))
    for (const { id, name, receivedAt, suspect } of stored) {
      const day = computeDay(formatDay(receivedAt, hours.timeZone), hours.timeZone)
      const opensAt = day.from + 7 * hourMs
      const isWaiting = suspect === null && history.isUntouched(id) && receivedAt < opensAt
      if (isWaiting && opensAt < endAt && !told.includes(formatDay(opensAt, hours.timeZone)))
        yield name
    }
  },
}

type Counted = Pick<SeenLead, 'id' | 'phone' | 'suspect' | 'status' | 'callAgainAt'>

/** Returns the text that a digest should have, computed without the product's query. */
export function describeToDo(
  leads: readonly Counted[],
  { now, hours }: { now: number; hours: BusinessHours },
): string {
  const tonight = computeDay(formatDay(now, hours.timeZone), hours.timeZone).to
  const isToday = ({ callAgainAt }: Counted) => callAgainAt !== null && callAgainAt < tonight
  const isToDo = (lead: Counted) =>
    ({
      'first-call': lead.suspect === null,
      'next-call': isToday(lead),
      result: true,
      nothing: false,
    })[readNeed(lead)]
  const homeowners = Map.groupBy(leads.filter(isToDo), ({ id, phone, suspect }) =>
    phone && suspect === null ? readNumber(phone) : id,
  )
  const needs = [...homeowners.values()].map((some) => some.map(readNeed))
  const isMostUrgent = (need: Need, some: readonly Need[]) =>
    (['first-call', 'next-call', 'result'] as const).find((one) => some.includes(one)) === need
  const count = (need: Need) => needs.filter((some) => isMostUrgent(need, some)).length
  const parts = [
    [count('next-call'), 'to call again today'],
    [count('first-call'), 'not called yet'],
    [count('result'), count('result') === 1 ? 'call without a result' : 'calls without a result'],
  ]
  return parts.flatMap(([number, what]) => (number ? `${number} ${what}` : [])).join(', ')
}
