import * as v from 'valibot'
import { rowRecipients } from '../channels/channels.ts'
import { computePromise } from '../deadline.ts'
import { planDelivery } from '../delivery/plan.ts'
import { hashLead } from '../http/read-lead.ts'
import { createLeadSchema, formatPhone } from '../lead.ts'
import { phoneCall } from '../source.ts'
import { saveLead } from '../store/save-lead.ts'
import { describeLead } from './lead-routes.ts'
import { type DeskApp, type DeskContext, erased, readBody, refuse } from './routes.ts'

/** Adds the route for a lead that the crew enters during a phone call. */
export function addAddRoute(app: DeskApp, context: DeskContext): void {
  const { db, hours, now, makeId, log, wake } = context

  app.post('/api/leads', async (c) => {
    const { id, isCalled, fields } = await readBody(c, addSchema, badLead)
    const { lead, error } = readCaller(fields)
    if (error) return c.json({ error }, 400)
    const at = now()
    const promise = computePromise(at, lead.serviceType, hours())
    const visit = { consent: null, suspect: null, source: phoneCall }
    const plan = await planDelivery(context, { ...lead, ...visit, ...promise }, { isCalled })
    const { person, email } = c.var.session
    const saved = await saveLead(
      db,
      {
        lead,
        visit,
        bodyHash: hashLead(lead),
        clientAddress: '',
        idempotencyKeys: [`desk:${id}`],
        ...promise,
        ...plan,
        ...(isCalled && {
          call: {
            event: { id, at, kind: 'called', via: 'desk', person, email },
            plan: { rowRecipients },
          },
        }),
      },
      { now: at, limitPerMinute: 0, makeId },
    )
    if (!('leadId' in saved)) return refuse(c, 400, alreadySaved)
    if (saved.outcome === 'saved') log.info({ leadId: saved.leadId }, 'lead added on the desk')
    wake()
    const stored = await describeLead(c, context, saved.leadId)
    return stored ? c.json({ lead: stored }) : refuse(c, 404, erased)
  })
}

const badLead = 'This lead couldn’t be saved. Reload the page and try again.'
const alreadySaved =
  'This lead was already saved without your last changes. Open it in the list, and add them as a note.'

const messages: Partial<Record<string, string>> = {
  phone: 'Check the phone number, including the area code. Use digits, not letters.',
  email: 'Check the email address. It should look like name@example.com.',
}

/** During a call, nothing is required except a way to reach the caller. */
const callerSchema = v.pipe(
  createLeadSchema((field) => ({ ...field, required: false })),
  v.check(
    ({ phone, email }) => phone !== '' || email !== '',
    'Enter a phone number or an email address.',
  ),
)

/** Reads the homeowner's details that the crew typed. */
export function readCaller(fields: object) {
  const read = v.safeParse(callerSchema, fields)
  if (read.success) return { lead: { ...read.output, phone: formatPhone(read.output.phone) } }
  // Report a bad phone number first, because it is the first field of this form.
  const isPhone = (one: v.BaseIssue<unknown>) => v.getDotPath(one) === 'phone'
  const issue = read.issues.find(isPhone) ?? read.issues[0]
  const field = v.getDotPath(issue)
  return { error: { message: messages[field ?? ''] ?? issue.message, field: field ?? 'phone' } }
}

const addSchema = v.object({
  /** The page creates this ID and retries with it, so that the server stores one lead. */
  id: v.pipe(v.string(), v.regex(/^[\w-]{8,64}$/)),
  /** True if someone is on the phone with the homeowner, so nobody else needs to call. */
  isCalled: v.boolean(),
  fields: v.record(v.string(), v.string()),
})
