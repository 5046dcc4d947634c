import type { Writable } from 'node:stream'
import type { Log } from '../supabase/functions/submit-to-airtable/fault-log.ts'

/**
 * The structured log, a line of JSON each. It waits for no reader: what a stalled one leaves behind is kept up to
 * `maxBytes`, then dropped, and counted for when it reads again.
 */
export function createLog(stream: Writable, maxBytes = 1_000_000): Log {
  let dropped = 0
  // A reader that is gone must not take the site along.
  stream.on('error', () => {})
  const at = (level: number) => (fields: object, msg: string) =>
    write(`${JSON.stringify({ level, time: Date.now(), ...fields, msg })}\n`)
  const log = { info: at(30), warn: at(40), error: at(50) }
  return log

  function write(line: string): void {
    if (stream.writableLength < maxBytes) stream.write(line)
    else if (dropped++ === 0) stream.once('drain', reportDropped)
  }

  function reportDropped(): void {
    log.warn({ dropped }, 'nobody was reading the log: lines were dropped')
    dropped = 0
  }
}
