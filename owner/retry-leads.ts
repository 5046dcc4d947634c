import { stoppedWebhook } from '#leads/delivery/channels.ts'
import { retryDeliveries } from '#leads/store/deliveries.ts'
import { removeSetting } from '#leads/store/kept-settings.ts'
import type { Command, Deps } from './leads-command.ts'
import { findOne } from './show-leads.ts'
import { makeSafeJson } from './terminal.ts'

export async function retryLeads({ json, target }: Command, deps: Deps): Promise<number> {
  const { db, stdout, now, airtable } = deps
  const lead = target === 'all' ? undefined : await findOne(target, db)
  // A webhook that wanted no more is asked again: the owner says so.
  await removeSetting(db, stoppedWebhook)
  const due = await retryDeliveries(db, lead?.id ?? 'all', now())
  if (json) stdout(`${makeSafeJson({ due })}\n`)
  else if (due === 0) stdout(lead ? 'Nothing of this lead waits.\n' : 'Nothing waits.\n')
  else {
    stdout(`${due} ${due === 1 ? 'delivery is' : 'deliveries are'} due now. The running site `)
    stdout('sends within seconds, unless a channel must rest after a refusal.\n')
    if (!airtable) stdout('What goes to Airtable waits on: AIRTABLE_TOKEN and AIRTABLE_BASE_ID.\n')
  }
  return 0
}
