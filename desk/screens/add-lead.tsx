import type { Lead } from '#leads/fields.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { isolate } from '#leads/words.ts'
import { Refused, request } from '../api.ts'
import { readDraft, saveDraft, useDraft } from '../drafts.ts'
import { Button, Heading, Icon, NotSent } from '../elements.tsx'
import { type InputProblem, LeadInputs } from '../lead-inputs.tsx'
import { attempt } from '../notice.tsx'
import { makeId, retry, waitToRetry } from '../outbox.ts'
import { formatRoute, replaceHash } from '../route.ts'
import { refresh } from '../use-polling.ts'

/** A lead that someone is adding. The browser stores it until the server has confirmed it. */
type NewLead = {
  /** The server stores one lead for each ID, so a retry is safe. */
  id: string
  fields: Partial<Lead>
  /** True for the button “I’m handling this”, false for the other button, and undefined until one is pressed. */
  isCalled?: boolean
  /** The last attempt failed, and another one will follow. */
  isUnsent?: boolean
  problem?: InputProblem
}

const draftName = 'new lead'
const parse = (text: string): NewLead => (text ? JSON.parse(text) : { id: makeId(), fields: {} })
const save = (lead: NewLead) => saveDraft(draftName, JSON.stringify(lead))

/** Sends the lead, and retries while there is no connection, even after a reload. */
export async function sendNewLead(pressed?: boolean): Promise<void> {
  const { id, fields, isCalled = pressed } = parse(readDraft(draftName))
  if (isCalled === undefined) return
  const body = { id, fields, isCalled }
  save(body)
  try {
    const { lead } = await retry(
      () => request<{ lead: LeadInFull }>('POST', '/api/leads', { body, needsData: true }),
      () => {
        save({ ...body, isUnsent: true })
        return waitToRetry()
      },
    )
    saveDraft(draftName, '')
    if (location.hash === formatRoute({ screen: 'add' }))
      replaceHash(formatRoute({ leadId: lead.id }))
    void attempt(refresh(), `Added ${isolate(lead.name)}.`)
  } catch (error) {
    // Save only refusals. Other errors mean that the person was signed out, and the deleted draft must not come back.
    if (error instanceof Refused) {
      const { message, field } = error
      save({ id, fields, problem: { message, field } })
    }
  }
}

/** Opens the form, and shows whether a lead is still unsaved. */
export function AddLink() {
  const { isUnsent } = parse(useDraft(draftName))
  return (
    <a className="button" data-quiet href={formatRoute({ screen: 'add' })}>
      <Icon name={isUnsent ? 'cloud' : 'add'} />
      {isUnsent ? 'Not saved yet' : 'Add a lead'}
    </a>
  )
}

/** Adds a lead during a phone call, in which some callers give only a phone number or an email address. */
export function AddLead() {
  const { id, fields, isCalled, isUnsent, problem } = parse(useDraft(draftName))
  const disabled = isCalled !== undefined
  return (
    <>
      <a className="back" href={formatRoute({})}>
        <Icon name="back" />
        Today
      </a>
      <Heading>Add a lead</Heading>
      <p className="quiet">
        A phone number or an email address is enough. We won’t email the caller.
      </p>
      <form
        className="lead-form"
        onChange={({ currentTarget }) =>
          save({ id, fields: Object.fromEntries(new FormData(currentTarget)) })
        }
      >
        <LeadInputs {...{ fields, disabled, problem }} />
        <NotSent>{isUnsent && 'Not saved yet. Retrying while this page is open.'}</NotSent>
        <div className="pair">
          <div className="entry">
            <Button isPrimary disabled={disabled} onClick={() => sendNewLead(true)}>
              I’m handling this
            </Button>
            <p className="small quiet">
              Choose this if you’re on the phone with the homeowner. Sends no alerts.
            </p>
          </div>
          <div className="entry">
            <Button disabled={disabled} onClick={() => sendNewLead(false)}>
              Someone should call back
            </Button>
            <p className="small quiet">Alerts the crew.</p>
          </div>
        </div>
      </form>
    </>
  )
}
