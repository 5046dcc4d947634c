import type { Channel } from './channels/channel-type.ts'
import type { Context } from './context.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { planDelivery } from './delivery/plan.ts'
import { findProblems } from './health/find-problems.ts'
import { createApp } from './http/app.ts'
import type { AppContext } from './http/app-context.ts'
import { createFaultLog } from './log.ts'

/** Connects the HTTP app with delivery, for both runtimes (Node and Supabase Edge). */
export function createService(
  context: Context,
  {
    findPageFault,
    channels,
    wake = (deliverer) => deliverer.wake(),
    ...own
  }: Pick<AppContext, 'readClientAddress' | 'mayShareAddress'> & {
    /** Why visitors do not see the published page. */
    findPageFault?: () => string | undefined
    channels?: readonly Channel[]
    /** Called when deliveries may be due. */
    wake?: (deliverer: Deliverer) => void
  },
) {
  const faults = createFaultLog(context.log)
  const deliverer = createDeliverer(context, { faults, ...(channels && { all: channels }) })
  const app = createApp({
    ...context,
    ...own,
    faults,
    planDelivery: (lead) => planDelivery(context, lead),
    listProblems: (databaseFault) =>
      findProblems('healthz', context, { databaseFault, pageFault: findPageFault?.() }),
    wake: () => wake(deliverer),
  })
  return { app, deliverer }
}
