import type { Channel, Recipient, Result } from '../channels/channel-type.ts'
import { findSettings } from '../channels/channels.ts'
import { computeDay, formatDay } from '../clock.ts'
import type { Context } from '../context.ts'
import { computeNextStart } from '../hours.ts'
import { nameError } from '../log.ts'
import { acquire, nameDigest, release } from '../store/claims.ts'
import { countToDo } from '../store/today-leads.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import { count } from '../words.ts'
import { keepTrying } from './send-due.ts'

// Longer than sending a digest and recording the result, so the lease needs no renewal.
const leaseMs = 90_000
const expiresAfterMs = 4 * hourMs
const firstRetryMs = 5_000
const longestRetryMs = 15 * minuteMs
// If a digest is planned further ahead than this, the clock was set back.
const longestDayMs = 26 * hourMs

/** Lists who gets a digest. Without a desk, nobody does, because the digest links to it. */
export async function listDigestRecipients(
  channel: Channel,
  context: Context,
): Promise<Recipient[]> {
  const settings = findSettings(channel, context)
  if (!channel.digest || settings === undefined || !context.env.desk) return []
  return channel.digest.recipients({ ...context, settings })
}

/** Returns the start of the working day whose digest is due now or comes next. Skips a digest that is too late. */
export const computeDigestStart = ({ now, hours }: Context) =>
  computeNextStart(now() - expiresAfterMs, hours())

/** Returns false for a new recipient, or if the clock was set back. */
const isPlanned = (digestFrom: number | null, now: number): digestFrom is number =>
  digestFrom !== null && digestFrom <= now + longestDayMs

/** Returns when a recipient’s digest is due, or the current time if none is planned. */
export function computeDigestAt(digestFrom: number | null, startsAt: number, now: number): number {
  if (!isPlanned(digestFrom, now)) return now
  // If this day’s digest is done, nothing is due until startsAt moves to the next working day.
  return digestFrom <= startsAt ? startsAt : Number.POSITIVE_INFINITY
}

/** Sends the digest if it is due and there is something to do, and plans the next one. */
export async function sendDigest(
  channel: Channel,
  recipient: Recipient,
  context: Context,
  aborting: AbortSignal,
): Promise<void> {
  const { db, env, hours, now, pause, makeId, log } = context
  const name = nameDigest(recipient.name)
  const holder = makeId()
  const until = now() + leaseMs
  const row = await acquire(db, name, { holder, now: now(), until })
  if (!row) return
  const from = isPlanned(row.digestFrom, now()) ? row.digestFrom : now()
  const startsAt = computeDigestStart(context)
  const isDue = from <= startsAt && startsAt <= now()
  const result = isDue ? await send(startsAt) : undefined
  if (result && !result.ok && !result.isUndeliverable) {
    log.warn({ recipient: name, error: result.error }, 'digest not sent; retrying')
    const delayMs = Math.min(longestRetryMs, Math.max(firstRetryMs, now() - startsAt))
    const retryAt = now() + Math.max(delayMs, result.retryAfterMs ?? 0)
    await keepTrying(() => release(db, name, holder, retryAt), { pause, aborting })
  } else {
    const nextFrom = isDue ? readDay(startsAt).to : from
    await keepTrying(() => release(db, name, holder, 0, nextFrom), { pause, aborting })
    if (result?.ok) log.info({ recipient: name }, 'digest sent')
  }

  function readDay(at: number) {
    const { timeZone } = hours()
    return computeDay(formatDay(at, timeZone), timeZone)
  }

  /** Returns undefined if there is nothing to do. */
  async function send(at: number): Promise<Result | undefined> {
    const text = describeToDo(await countToDo(db, readDay(now()).to))
    if (!text) return undefined
    // The lease has expired, so another process may send the digest.
    if (now() >= until) return { ok: false, error: 'The process was paused.' }
    const digest = { id: `${name}-${at}`, text, url: `${env.desk?.url}/` }
    const ownContext = { ...context, settings: findSettings(channel, context) }
    try {
      return await channel.digest?.send(digest, recipient, ownContext, aborting)
    } catch (error) {
      return { ok: false, error: nameError(error) }
    }
  }
}

const describeToDo = ({
  again,
  neverCalled,
  withoutResult,
}: Awaited<ReturnType<typeof countToDo>>) =>
  [
    again > 0 && `${again} to call again today`,
    neverCalled > 0 && `${neverCalled} not called yet`,
    withoutResult > 0 && `${count(withoutResult, 'call')} without a result`,
  ]
    .filter((part) => part !== false)
    .join(', ')
