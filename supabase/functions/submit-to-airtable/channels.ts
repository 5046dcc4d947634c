import { sendToAirtable } from './airtable.ts'
import type { Channel } from './deliver.ts'
import type { Env } from './env.ts'

/** Where every lead goes. A channel that is not set up yet has its deliveries all the same: they wait. */
export const channelNames = ['airtable']

/** The channels that can send with these settings. */
export function createChannels(
  { airtable }: Pick<Env, 'airtable'>,
  deps: { fetch: typeof fetch; pause: (ms: number) => Promise<void> },
): Channel[] {
  if (!airtable) return []
  return [
    {
      name: 'airtable',
      // Airtable takes ten records a request and five requests a second from all senders together.
      batchSize: 10,
      exclusive: true,
      restMs: 250,
      send: (leads, signal) => sendToAirtable(leads, airtable, { ...deps, signal }),
    },
  ]
}
