import type { Log } from '#leads/log.ts'

type LogEntry = { level: 'info' | 'warn' | 'error'; fields: object; message: string }

/** Creates a log that a test can read. */
export function createTestLog(): Log & { entries: LogEntry[] } {
  const entries: LogEntry[] = []
  const write = (level: LogEntry['level']) => (fields: object, message: string) => {
    entries.push({ level, fields, message })
  }
  return { entries, info: write('info'), warn: write('warn'), error: write('error') }
}

/** Formats one line per entry, to print when a test fails. */
export const formatEntries = ({ entries }: { entries: readonly LogEntry[] }): string =>
  entries
    .map(({ level, message, fields }) => `${level} ${message} ${JSON.stringify(fields)}\n`)
    .join('')
