import { resumeWebhook } from '#leads/delivery/stopped-webhook.ts'
import { retryDeliveries } from '#leads/store/deliveries.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { dropDeliveries } from '#leads/store/receivers.ts'
import { UserError } from '#leads/user-error.ts'
import { describeChannel, isGone } from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { findOne } from './show-leads.ts'

export async function retryLeads({ target }: Command, deps: Deps): Promise<Outcome> {
  const { db, now, airtable } = deps
  const lead = target === 'all' ? undefined : await findOne(target, db)
  // A webhook that wanted no more is asked again: the owner says so.
  await resumeWebhook(db)
  const due = await retryDeliveries(db, lead?.id ?? 'all', now())
  if (due === 0)
    return { json: { due }, text: lead ? 'Nothing of this lead waits.\n' : 'Nothing waits.\n' }
  const sends = `${due} ${due === 1 ? 'delivery is' : 'deliveries are'} due now. The running site sends within seconds, unless a channel must rest after a refusal.\n`
  const waits = 'What goes to Airtable waits on: AIRTABLE_TOKEN and AIRTABLE_BASE_ID.\n'
  return { json: { due }, text: airtable ? sends : sends + waits }
}

export async function dropForReceiver({ target }: Command, deps: Deps): Promise<Outcome> {
  const { db, now } = deps
  const waits = (await countWaiting(db)).some(({ channel }) => channel === target)
  if (!waits) throw new UserError(`Nothing waits for "${target}". npm run leads shows what does.`)
  if (!isGone(target, deps))
    throw new UserError(
      `Nothing was dropped: ${describeChannel(target, deps)} may still get what waits for it.`,
    )
  const dropped = await dropDeliveries(db, target, now())
  const alerts = dropped === 1 ? 'alert is' : 'alerts are'
  return { json: { dropped }, text: `${dropped} ${alerts} dropped. The leads stay.\n` }
}
