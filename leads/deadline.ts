import { type BusinessHours, findOpening } from './hours.ts'

/** The page promises a call within this time while the company is open. */
export const promiseMs = 10 * 60_000

export function findDeadline(receivedAt: number, service: string, hours: BusinessHours): number {
  const isUrgent = service === 'emergency' && hours.emergencies === 'always'
  return (isUrgent ? receivedAt : findOpening(receivedAt, hours)) + promiseMs
}

/** Returns the time from which reminder delays are counted. */
export const findPromiseStart = (deadlineAt: number): number => deadlineAt - promiseMs

/** Returns true if a call reached nobody and it is time for the next one. */
export const isDueAgain = ({ callAgainAt }: { callAgainAt: number | null }, now: number): boolean =>
  callAgainAt !== null && callAgainAt <= now

/** Returns how long a lead has waited: since its 10 minutes started, or since its receipt if they have not. */
export function measureWait(
  { receivedAt, deadlineAt }: { receivedAt: number; deadlineAt: number | null },
  now: number,
): number {
  const startedAt = findPromiseStart(deadlineAt ?? Number.POSITIVE_INFINITY)
  return now - (startedAt <= now ? startedAt : receivedAt)
}
