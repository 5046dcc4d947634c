import type { Context as HonoContext } from 'hono'
import type { LeadEvent } from '../channels/channel-type.ts'
import type { Context } from '../context.ts'
import type { Problem } from '../health/check.ts'
import type { FaultLog } from '../log.ts'
import type { DeliveryPlan } from '../store/save-lead.ts'

/** The context, and what only the HTTP app needs. */
export type AppContext = Context & {
  faults: FaultLog
  planDelivery: (lead: LeadEvent['lead']) => Promise<DeliveryPlan>
  listProblems: (databaseFault?: string) => Promise<Problem[]>
  saveTimeoutMs?: number
  /** Starts due deliveries. */
  wake: () => void
  readClientAddress: (c: HonoContext) => string
  /** Returns true if the headers do not show whether the IP address is the visitor's or a proxy's. */
  mayShareAddress: (c: HonoContext) => boolean
}
