import type { Context } from 'hono'
import { readAnswerToken } from '../answer-link.ts'
import { describeAlert } from '../channels/alert.ts'
import { rowRecipients } from '../channels/channels.ts'
import type { BusinessHours } from '../hours.ts'
import type { Log } from '../log.ts'
import { appendEvent } from '../store/append-event.ts'
import { findLead } from '../store/find-leads.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import type { Database } from '../store/tables.ts'
import {
  answerHeaders,
  expiredLink,
  formatAnswerPage,
  unavailable,
  unknownLink,
} from './answer-page.ts'

export type AnswerOptions = {
  db: Database
  linkSecret: string | undefined
  hours: () => BusinessHours
  now: () => number
  makeId: () => string
  log: Log
  wake: () => void
}

/**
 * Serves the page behind the "I’m calling" link in alerts. Email scanners open links, so GET and HEAD
 * change nothing, and only the button (POST) records the call.
 */
export async function answerLead(c: Context, options: AnswerOptions): Promise<Response> {
  try {
    return await answerToken(c, options)
  } catch (error) {
    options.log.error({ error: (error as Error).name }, 'the answer page failed')
    return c.body(unavailable, 503, answerHeaders)
  }
}

async function answerToken(c: Context, options: AnswerOptions): Promise<Response> {
  const { db, hours, log } = options
  const { timeZone } = hours()
  const now = options.now()
  const secret = await readLinkSecret(db, options.linkSecret)
  const token = readAnswerToken(c.req.param('token') ?? '', secret, now)
  if (token.kind === 'expired') return c.body(expiredLink, 410, answerHeaders)
  const found = token.kind === 'valid' ? await findLead(db, token.leadId) : undefined
  if (!found) return c.body(unknownLink, 404, answerHeaders)

  let lead = found
  let isFirst = false
  if (c.req.method === 'POST') {
    const event = { id: options.makeId(), at: now, kind: 'called', via: 'link' } as const
    const { outcome } = await appendEvent(db, lead.id, event, { rowRecipients, now })
    isFirst = outcome === 'appended'
    lead = (await findLead(db, lead.id)) ?? found
  }
  if (isFirst) {
    log.info({ leadId: lead.id, tookMs: now - lead.receivedAt }, 'called')
    options.wake()
  }
  const alert = describeAlert(found, 'received', { now, timeZone })
  const page = formatAnswerPage(alert, lead, isFirst, { now, timeZone })
  return c.body(page, 200, answerHeaders)
}
