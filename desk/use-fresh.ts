import { useCallback, useEffect, useRef, useState } from 'react'
import { ask, Refused, SignedOut } from './api.ts'

/** Looked for this often while somebody looks: a change shows within 3 s. */
const everyMs = 2_000

export type Fresh<Data> = {
  data: Data | undefined
  /** When `data` was last known to be true. */
  at: number
  /** Why it is not fresh. */
  trouble: string | undefined
  isSignedOut: boolean
  refresh: () => void
}

/** Keeps what an address answers up to date, also after the phone slept. */
export function useFresh<Data>(path: string): Fresh<Data> {
  const [state, setState] = useState<Omit<Fresh<Data>, 'refresh'>>({
    data: undefined,
    at: 0,
    trouble: undefined,
    isSignedOut: false,
  })
  const look = useRef(() => {})
  useEffect(() => {
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let isAsking = false
    const lookNow = async () => {
      clearTimeout(timer)
      if (isAsking) return
      isAsking = true
      try {
        const data = await ask<Data>('GET', path)
        if (!isGone) setState({ data, at: Date.now(), trouble: undefined, isSignedOut: false })
      } catch (error) {
        const isSignedOut = error instanceof SignedOut
        const isErased = error instanceof Refused
        if (!isGone)
          setState(({ data, at }) => ({
            data: isSignedOut || isErased ? undefined : data,
            at,
            trouble: (error as Error).message,
            isSignedOut,
          }))
        if (isSignedOut) isGone = true
      }
      isAsking = false
      if (!isGone && !document.hidden) timer = setTimeout(lookNow, everyMs)
    }
    look.current = lookNow
    const wake = () => {
      if (!document.hidden) void lookNow()
    }
    void lookNow()
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    addEventListener('pageshow', wake)
    return () => {
      isGone = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
      removeEventListener('pageshow', wake)
    }
  }, [path])
  const refresh = useCallback(() => look.current(), [])
  return { ...state, refresh }
}

/** The time, often enough for a countdown. */
export function useNow(stepMs = 1_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return now
}
