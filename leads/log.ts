import { minuteMs } from './time-units.ts'

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type FaultLog = ReturnType<typeof createFaultLog>

/** Logs each fault once when it starts and once when it ends. */
export function createFaultLog(log: Log) {
  const times = new Map<string, number>()
  return {
    report(fault: string, fields: object, message: string): void {
      const before = times.get(fault) ?? 0
      times.set(fault, before + 1)
      if (before === 0) log.error({ fault, ...fields }, message)
    },
    /** Returns true if there was a fault. */
    clear(fault: string, message: string): boolean {
      const before = times.get(fault)
      if (before === undefined) return false
      times.delete(fault)
      log.info({ fault, times: before }, message)
      return true
    },
  }
}

const repeatMs = minuteMs

/**
 * Logs each message at most once a minute, so that strangers cannot fill the disk. `more` is how often the message was
 * skipped.
 */
export function createRepeatLog({ warn }: Log, now: () => number): Log['warn'] {
  const last = new Map<string, { at: number; more: number }>()
  return (fields, message) => {
    const { at, more } = last.get(message) ?? { at: Number.NEGATIVE_INFINITY, more: 0 }
    if (Math.abs(now() - at) < repeatMs) {
      last.set(message, { at, more: more + 1 })
      return
    }
    last.set(message, { at: now(), more: 0 })
    warn({ ...fields, ...(more > 0 && { more }) }, message)
  }
}

/** Returns the error's name and code. Its message could contain a visitor's data. */
export function nameError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, errstr } = error as Error & { code?: unknown; errstr?: unknown }
  // errstr is SQLite's fixed text for its error number, such as `database or disk is full`.
  return [error.name, code, errstr].filter((part) => typeof part === 'string').join(': ')
}
