import type { SetStatus } from '../channels/airtable/send.ts'
import type { Channel } from '../channels/channel-type.ts'
import { channels, rowChannel, rowRecipients } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { computeCallStart, computePromise } from '../deadline.ts'
import { makeHomeownerKeys } from '../homeowner-keys.ts'
import { needsCall, readNeed } from '../lead-state.ts'
import { statuses } from '../statuses.ts'
import { appendEvent } from '../store/append-event.ts'
import { acquire, release, retryLeaseMs } from '../store/claims.ts'
import { type DueLead, listDueLeads, type Step, takeSteps } from '../store/crew-rows.ts'
import { mapUnresolvedCalls, type UnresolvedCall } from '../store/find-events.ts'
import { listDevices } from '../store/push-devices.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import { planRecipients } from './plan.ts'
import {
  computeCalledAt,
  computeNextReadAt,
  decideChase,
  decideStep,
  listReminderMinutes,
} from './reminder-steps.ts'

// Enough for all leads from one night, so that one message can tell the crew about them.
const leadsAtOnce = 400
const restMs = 250
// After this, an unnecessary reminder is better than a late one.
const waitForAirtableMs = 5_000
const readLaterMs = 5 * minuteMs
const nobodyMs = hourMs
const repeatAfterMs = hourMs

/**
 * Takes the steps that are due: tells the crew about leads that arrived after hours, leads to call again, and uncalled
 * leads, unless someone has set the lead's Status in Airtable. Continues to check Airtable after the last reminder.
 * Asks for the results of calls, and plans another call if nobody enters one. If Airtable is busy, returns how long to
 * wait before the next run.
 */
export async function remindDue(
  context: Context,
  all: readonly Channel[] = channels,
): Promise<number> {
  const { db, env, hours, now, log } = context
  const startedAt = now()
  const settings = env[rowChannel.kind]
  const leads = await listDueLeads(db, now(), leadsAtOnce)
  const unresolved = leads.filter((lead) => readNeed(lead) === 'result').map(({ id }) => id)
  const calls = await mapUnresolvedCalls(db, unresolved)
  const alerts = all.filter(({ isAlert }) => isAlert)
  const toRead = await listToRead()
  const found =
    settings && toRead.length > 0
      ? await readStatuses(toRead, settings)
      : new Map<string, SetStatus>()
  if (found === 'busy') return retryLeaseMs

  const remaining: DueLead[] = []
  for (const lead of leads) {
    const status = found?.get(lead.id)
    if (status && isResult(lead, status)) await recordStatus(lead, status.text)
    else remaining.push(lead)
  }
  // People may have signed in or out while Airtable responded.
  const planning = await startPlanning()
  const asked = new Map<string, DueLead>()
  const planned = new Map<string, DueLead>()
  const steps: Step[] = []
  for (const lead of remaining) {
    const call = calls.get(lead.id)
    const step = call ? await planChase(lead, call) : await planStep(lead)
    if (step === 'put back') await putBack(lead)
    else steps.push(step)
  }
  const told = await takeSteps(db, steps, now())
  for (const { lead, reason, recipients } of steps)
    if (told.includes(lead.id) && recipients.length > 0)
      log.warn(
        { leadId: lead.id, reason, alerted: recipients.length },
        reason === 'unresolved' ? 'asked for the result of the call' : 'not called yet',
      )
  return 0

  /**
   * Lists the leads whose Status to read. Omits leads whose reminder would alert nobody, to save a free base's API
   * calls.
   */
  async function listToRead(): Promise<DueLead[]> {
    if (settings === undefined) return []
    const current = await startPlanning()
    const wouldAlert = async (lead: DueLead) => {
      // After the last reminder, keep reading as long as anyone would get that reminder.
      const { reason = 'missed' } = decide(lead)
      return (await planRecipients(current, { lead, reason }, alerts)).length > 0
    }
    const toRead: DueLead[] = []
    for (const lead of leads.filter(mayReadStatus))
      if (calls.has(lead.id) || (await wouldAlert(lead))) toRead.push(lead)
    return toRead
  }

  /** Reads the devices, because cached ones may be out of date. If this fails, the next run tries again. */
  async function startPlanning(): Promise<Context> {
    const devices = await listDevices(db, { ...env, now: now() })
    // If the clock is set back during the run, the due steps must still alert people.
    return { ...context, now: () => Math.max(now(), startedAt), readDevices: async () => devices }
  }

  function decide(lead: DueLead) {
    return decideStep(withReopening(lead), listReminderMinutes(lead, context), {
      now: now(),
      repeatAt: computeCallStart(startedAt + repeatAfterMs, lead.serviceType, hours()),
    })
  }

  async function planStep(lead: DueLead): Promise<Step> {
    const { reason, nextAt } = decide(lead)
    const call = nameNextCall(lead)
    const sharedWith = planned.get(call)
    if (sharedWith) return { lead, reason: undefined, recipients: [], nextAt, sharedWith }
    const recipients = reason ? await planRecipients(planning, { lead, reason }, alerts) : []
    if (recipients.length > 0) planned.set(call, lead)
    const step = { lead, reason, recipients }
    const nextReadAt = computeNextReadAt(withReopening(lead), now())
    const canRead = settings !== undefined && lead.status === 'open'
    // After the last reminder, keep checking Airtable for a call.
    const readAt = canRead ? (found ? nextReadAt : now() + readLaterMs) : null
    if (reason === undefined || recipients.length > 0 || nextReadAt === null)
      return { ...step, nextAt: nextAt ?? readAt }
    const isNextLater = nextAt !== null && nextAt > now()
    return { ...step, nextAt, waitUntil: isNextLater ? nextAt : now() + nobodyMs }
  }

  async function planChase(lead: DueLead, call: UnresolvedCall): Promise<Step | 'put back'> {
    const startAt = computeChaseStart(lead, call)
    const none = { lead, reason: undefined, recipients: [] }
    if (startAt > now()) return { ...none, nextAt: null, waitUntil: startAt }
    const step = decideChase(lead, call, now())
    if (step === 'put back') return step
    const sharedWith = asked.get(call.id)
    if (sharedWith) return { ...none, nextAt: step.nextAt, sharedWith }
    const { reason } = step
    if (reason) asked.set(call.id, lead)
    const recipients = reason ? await planRecipients(planning, { lead, reason }, alerts) : []
    return { ...step, lead, recipients }
  }

  /** Moves the lead and the requests that share its call to “Call again,” except those that have changed since. */
  async function putBack({ id, version }: DueLead) {
    const at = now()
    const { outcome } = await appendEvent(
      db,
      id,
      { id: context.makeId(), at, kind: 'no-result', via: 'site', version },
      {
        rowRecipients,
        computeCallAgainAt: ({ serviceType }) => computeCallStart(at, serviceType, hours()),
        now: at,
      },
    )
    if (outcome === 'appended') log.info({ leadId: id }, 'call without a result; to call again')
  }

  function mayReadStatus(lead: DueLead) {
    const call = calls.get(lead.id)
    const isTime = call ? computeChaseStart(lead, call) <= now() : needsCall(lead)
    // A Status that Airtable still shows from before an Undo is not a call.
    return isTime && !lead.hasPendingOutcome
  }

  /**
   * Returns true if someone set this Status as a result. The Status that the site writes for the lead does not count.
   */
  function isResult({ status, knownStatus }: DueLead, { text, isOwn }: SetStatus) {
    // Undo does not reset a Status that only the crew uses, and a later call does not reset any Status, so reading the
    // same one again does not mean another call.
    const isKnown = text === knownStatus && (!isOwn || status !== 'open')
    return text !== statuses[status].airtable && !isKnown
  }

  /** Returns `busy` while another process uses Airtable, but undefined once a due lead has waited for 5 s. */
  async function readStatuses(some: readonly DueLead[], access: NonNullable<typeof settings>) {
    const { kind, leaseMs } = rowChannel
    const holder = context.makeId()
    if (!(await acquire(db, kind, { holder, now: now(), until: now() + leaseMs }))) {
      const waitsSince = Math.min(...some.map(({ nextAttemptAt }) => nextAttemptAt))
      return now() < waitsSince + waitForAirtableMs ? 'busy' : undefined
    }
    let retryAfterMs = restMs
    try {
      const ids = some.map(({ id }) => id)
      const { statuses, failure } = await rowChannel.listSetStatuses(ids, access, context)
      if (failure) {
        // An unnecessary reminder costs less than a late call.
        log.warn({ error: failure.error }, 'cannot read Airtable; treating leads as not called')
        retryAfterMs = Math.max(failure.retryAfterMs ?? 0, restMs)
      }
      return statuses
    } finally {
      await release(db, kind, holder, now() + retryAfterMs)
    }
  }

  async function recordStatus({ id, version, status, deadlineAt }: DueLead, text: string) {
    const event = {
      id: context.makeId(),
      at: status === 'open' ? computeCalledAt(deadlineAt, now()) : now(),
      kind: 'airtable-status',
      via: 'airtable',
      text,
      // Skip the lead if it has changed since we asked Airtable.
      version,
      // A row in Airtable is about one request.
      isAlone: true,
    } as const
    const { outcome } = await appendEvent(db, id, event, { rowRecipients, now: now() })
    if (outcome === 'appended') log.info({ leadId: id }, 'called in Airtable')
  }

  function computeChaseStart({ serviceType }: DueLead, { isUrgent }: UnresolvedCall): number {
    return computeCallStart(now(), isUrgent ? 'emergency' : serviceType, hours())
  }

  /** Adds the promise that a new lead would get at the time of this one's next call or of the Undo that reopened it. */
  function withReopening(lead: DueLead) {
    // Use the time of a planned call, which may be weeks away. If an open lead has changed, its last change was an
    // Undo.
    const reopenedAt = lead.callAgainAt ?? lead.changedAt
    const reopened =
      reopenedAt === null ? null : computePromise(reopenedAt, lead.serviceType, hours())
    return { ...lead, reopened }
  }
}

/** Requests that share a call share the reminder about the next one, too. */
function nameNextCall({ id, phone, email, suspect, callAgainAt }: DueLead): string {
  const { phoneKey } = makeHomeownerKeys({ phone, email })
  return phoneKey === null || suspect !== null || callAgainAt === null
    ? id
    : `${phoneKey} ${callAgainAt}`
}
