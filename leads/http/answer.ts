import type { Context } from 'hono'
import { readAnswerToken } from '../answer-link.ts'
import { describeAlert } from '../channels/alert.ts'
import { rowRecipients } from '../channels/channels.ts'
import { appendEvent } from '../store/append-event.ts'
import { findLead } from '../store/find-leads.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import {
  answerHeaders,
  expiredLink,
  formatAnswerPage,
  unavailable,
  unknownLink,
} from './answer-page.ts'
import type { AppContext } from './app-context.ts'

/**
 * Serves the page behind the "I’m calling" link in alerts. Email scanners open links, so GET and HEAD
 * change nothing, and only the button (POST) records the call.
 */
export async function answerLead(c: Context, context: AppContext): Promise<Response> {
  try {
    return await answerToken(c, context)
  } catch (error) {
    context.log.error({ error: (error as Error).name }, 'the answer page failed')
    return c.body(unavailable, 503, answerHeaders)
  }
}

async function answerToken(c: Context, context: AppContext): Promise<Response> {
  const { db, hours, log } = context
  const { timeZone } = hours()
  const now = context.now()
  const secret = await readLinkSecret(db, context.env.linkSecret)
  const token = readAnswerToken(c.req.param('token') ?? '', secret, now)
  if (token.kind === 'expired') return c.body(expiredLink, 410, answerHeaders)
  const found = token.kind === 'valid' ? await findLead(db, token.leadId) : undefined
  if (!found) return c.body(unknownLink, 404, answerHeaders)

  let lead = found
  let isFirst = false
  if (c.req.method === 'POST') {
    const event = { id: context.makeId(), at: now, kind: 'called', via: 'link' } as const
    const { outcome } = await appendEvent(db, lead.id, event, { rowRecipients, now })
    isFirst = outcome === 'appended'
    if (isFirst) {
      log.info({ leadId: lead.id, tookMs: now - lead.receivedAt }, 'called')
      context.wake()
    }
    lead = (await findLead(db, lead.id)) ?? found
  }
  const alert = describeAlert(found, 'received', { now, timeZone })
  const page = formatAnswerPage(alert, lead, isFirst, { now, timeZone })
  return c.body(page, 200, answerHeaders)
}
