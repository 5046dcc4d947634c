import { useCallback, useEffect, useRef, useState } from 'react'
import { ask, Refused, readClock, SignedOut } from './api.ts'
import { createSignal, useSignal } from './signal.ts'

/** Looked for this often while somebody looks: a change shows within 3 s. */
const usualMs = 2_000

export type Fresh<Data> = {
  data: Data | undefined
  /** When `data` was last known to be true. */
  at: number
  /** Why it is not fresh. */
  trouble: string | undefined
  isSignedOut: boolean
  /** It is not there, or no longer. */
  isGone: boolean
  refresh: () => Promise<void>
}

/** Keeps what an address answers up to date, also after the phone slept. */
export function useFresh<Data>(
  path: string,
  everyMs = usualMs,
  /** What is known already, since when. */
  start?: { data: Data; at: number },
): Fresh<Data> {
  const [state, setState] = useState<Omit<Fresh<Data>, 'refresh'>>({
    data: start?.data,
    at: start?.at ?? 0,
    trouble: undefined,
    isSignedOut: false,
    isGone: false,
  })
  const look = useRef(async () => {})
  useEffect(() => {
    let current: AbortController | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    // A look that hung while the phone slept, or began before something was done, is given up.
    const stop = () => {
      clearTimeout(timer)
      current?.abort()
    }
    look.current = async () => {
      stop()
      const mine = new AbortController()
      current = mine
      const answer = await ask<Data>('GET', path, { signal: mine.signal }).catch((error) => error)
      if (mine.signal.aborted) return
      if (answer instanceof Error) {
        const isSignedOut = answer instanceof SignedOut
        const isGone = answer instanceof Refused && answer.status === 404
        setState(({ data, at }) => ({
          data: isSignedOut || isGone ? undefined : data,
          at,
          trouble: answer.message,
          isSignedOut,
          isGone,
        }))
        if (isSignedOut || isGone) return
      } else
        setState({
          data: answer,
          at: readClock(),
          trouble: undefined,
          isSignedOut: false,
          isGone: false,
        })
      if (!document.hidden) timer = setTimeout(() => look.current(), everyMs)
    }
    const wake = () => {
      if (!document.hidden) void look.current()
    }
    void look.current()
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    addEventListener('pageshow', wake)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
      removeEventListener('pageshow', wake)
    }
  }, [path, everyMs])
  const refresh = useCallback(() => look.current(), [])
  return { ...state, refresh }
}

const clocks = createSignal()
if (!import.meta.env.SSR) {
  setInterval(clocks.tell, 1_000)
  document.addEventListener('visibilitychange', clocks.tell)
}

/** The time, often enough for a countdown; what does not tick is drawn again once a minute. */
export const useNow = (stepMs = 1_000) =>
  useSignal(clocks, () => Math.ceil(readClock() / stepMs) * stepMs)
