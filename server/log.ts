import type { Writable } from 'node:stream'
import type { Log } from '#leads/log.ts'

/**
 * Writes one JSON line per entry and never blocks. If the reader stalls, up to `maxBytes` are buffered;
 * further lines are dropped and counted.
 */
export function createLog(stream: Writable, maxBytes = 1_000_000): Log {
  let dropped = 0
  // A broken pipe must not crash the process.
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
    log.warn({ dropped }, 'log lines were dropped because the reader stalled')
    dropped = 0
  }
}
