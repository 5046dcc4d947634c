import { use, useEffect, useState } from 'react'
import type { Clock } from '#leads/clock.ts'
import { Refused, readClock, readOpenedAt, request, SignedOut } from './api.ts'
import { TimeZone } from './me.ts'
import { createSignal, useSignal } from './signal.ts'

/** Changes must appear within 3 s. */
const defaultPollMs = 2_000

export type Polled<Data> = {
  data: Data | undefined
  /** When `data` was last confirmed. */
  at: number
  /** Why the last poll failed. */
  trouble: string | undefined
  isSignedOut: boolean
  /** The server returned 404. */
  isGone: boolean
}

const polls = new Set<() => Promise<void>>()

/** Reloads everything on the screen after the person has changed something. */
export async function refresh(): Promise<void> {
  await Promise.all([...polls].map((poll) => poll()))
}

const noTrouble = { trouble: undefined, isSignedOut: false, isGone: false }

/** Polls a path while the page is visible, and immediately after the phone wakes. */
export function usePolling<Data>(
  path: string,
  everyMs = defaultPollMs,
  /** The data that the server sent with the page. */
  start?: { data: Data; at: number },
): Polled<Data> {
  const [state, setState] = useState<Polled<Data>>({
    data: start?.data,
    at: start?.at ?? 0,
    ...noTrouble,
  })
  const hasStart = start !== undefined
  useEffect(() => {
    let current: AbortController | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    // Cancel a poll that hung while the phone slept, or that started before a change.
    const stop = () => {
      clearTimeout(timer)
      current?.abort()
    }
    const poll = async () => {
      stop()
      const mine = new AbortController()
      current = mine
      const answer = await request<Data>('GET', path, { signal: mine.signal }).catch(
        (error) => error,
      )
      if (mine.signal.aborted) return
      if (answer instanceof Error) {
        const isSignedOut = answer instanceof SignedOut
        const isGone = answer instanceof Refused && answer.status === 404
        setState(({ data, at }) => ({
          data: isSignedOut || isGone ? undefined : data,
          at,
          // Don't ask people to try again, because the desk retries automatically.
          trouble: answer.message.replace(/ (Please t|T)ry again.*/, ''),
          isSignedOut,
          isGone,
        }))
        if (isSignedOut || isGone) return
      } else setState({ data: answer, at: readClock(), ...noTrouble })
      if (!document.hidden) timer = setTimeout(poll, everyMs)
    }
    polls.add(poll)
    const wake = () => {
      if (!document.hidden) void poll()
    }
    const restore = ({ persisted }: PageTransitionEvent) => persisted && wake()
    if (hasStart) timer = setTimeout(poll, everyMs)
    else void poll()
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    addEventListener('pageshow', restore)
    return () => {
      stop()
      polls.delete(poll)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
      removeEventListener('pageshow', restore)
    }
  }, [path, everyMs, hasStart])
  return state
}

const clocks = createSignal()
if (!import.meta.env.SSR) {
  setInterval(clocks.notify, 1_000)
  document.addEventListener('visibilitychange', clocks.notify)
}

/** Rerenders when the result of `compute` changes as time passes. The result must be a primitive. */
export const useNow = <Value>(compute: (now: number) => Value) =>
  useSignal(
    clocks,
    () => compute(readClock()),
    () => compute(readOpenedAt()),
  )

/** Returns the server's time, rounded down to a multiple of `stepMs`, and the company's time zone. */
export const useClock = (stepMs = 1_000): Clock => ({
  now: useNow((now) => Math.floor(now / stepMs) * stepMs),
  timeZone: use(TimeZone),
})

/** False until React has hydrated the server's markup. */
export const useIsLive = () =>
  useSignal(
    clocks,
    () => true,
    () => false,
  )
