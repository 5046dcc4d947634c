import { type BusinessHours, findOpening } from './hours.ts'

/** The page promises a call within this time while the company is open. */
export const promiseMs = 10 * 60_000

export function findDeadline(receivedAt: number, service: string, hours: BusinessHours): number {
  const isUrgent = service === 'emergency' && hours.emergencies === 'always'
  return (isUrgent ? receivedAt : findOpening(receivedAt, hours)) + promiseMs
}

/** Returns the time from which reminder delays are counted. */
export const findPromiseStart = (deadlineAt: number): number => deadlineAt - promiseMs

/** How long a lead has waited for its call: since the opening if it came in before, otherwise since its receipt. */
export function measureWait(
  { receivedAt, deadlineAt }: { receivedAt: number; deadlineAt: number | null },
  now: number,
): number {
  const startedAt = findPromiseStart(deadlineAt ?? Number.POSITIVE_INFINITY)
  return now - (startedAt <= now ? startedAt : receivedAt)
}
