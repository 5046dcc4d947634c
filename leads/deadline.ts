import { type BusinessHours, computeOpening } from './hours.ts'
import { minuteMs } from './time-units.ts'

/** The promise to a homeowner: a call between these two times. */
export type CallPromise = { promiseStartAt: number; deadlineAt: number }

/** Suspected spam gets no promise. */
export const noPromise = { promiseStartAt: null, deadlineAt: null }

/** Returns `at` if the company makes calls about this service then; otherwise, returns when it next opens. */
export function computeCallStart(at: number, service: string, hours: BusinessHours): number {
  const isUrgent = service === 'emergency' && hours.emergencies === 'always'
  return isUrgent ? at : computeOpening(at, hours)
}

export function computePromise(at: number, service: string, hours: BusinessHours): CallPromise {
  const promiseStartAt = computeCallStart(at, service, hours)
  return { promiseStartAt, deadlineAt: promiseStartAt + hours.promiseMinutes * minuteMs }
}

/** Returns true if another call is planned and its time has come. */
export const isDueAgain = ({ callAgainAt }: { callAgainAt: number | null }, now: number): boolean =>
  callAgainAt !== null && callAgainAt <= now

/**
 * Returns how long after the start of a call we ask for its result, and how long after that start we plan another call.
 * A call is urgent if one of its requests is an emergency.
 */
export const computeChase = (isUrgent: boolean) =>
  isUrgent
    ? { askAfterMs: 10 * minuteMs, putBackAfterMs: 30 * minuteMs }
    : { askAfterMs: 30 * minuteMs, putBackAfterMs: 120 * minuteMs }

/** Returns how long a lead has waited: since its promise started, or before that, since it was received. */
export function measureWait(
  { receivedAt, promiseStartAt }: { receivedAt: number; promiseStartAt: number | null },
  now: number,
): number {
  const hasStarted = promiseStartAt !== null && promiseStartAt <= now
  return now - (hasStarted ? promiseStartAt : receivedAt)
}
