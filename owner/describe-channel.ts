import { kindOf } from '#leads/delivery/receivers.ts'
import type { Deps } from './leads-command.ts'

/** The receiver in plain words, where it is known. */
export function describeChannel(channel: string, { receivers }: Pick<Deps, 'receivers'>): string {
  const receiver = receivers?.get(channel)
  return receiver === undefined ? channel : `${kindOf(channel)} to ${receiver}`
}

/** What waits for it would wait for good: nobody sends it any more. Airtable may be set up later. */
export const isGone = (channel: string, { receivers }: Pick<Deps, 'receivers'>): boolean =>
  channel !== 'airtable' && receivers !== undefined && !receivers.has(channel)
