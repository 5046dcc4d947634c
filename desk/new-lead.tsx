import type { Lead } from '#leads/fields.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { Refused, request } from './api.ts'
import { readDraft, saveDraft, useDraft } from './drafts.ts'
import { Icon } from './elements.tsx'
import { attempt, isolate } from './notice.tsx'
import { makeId, retry, waitToRetry } from './outbox.ts'
import type { Refresh } from './press.ts'
import { formatRoute, replaceHash } from './route.ts'

/** A lead that is being written down. The browser stores it until the server has confirmed it. */
export type NewLead = {
  /** The server stores one lead for each ID, so a retry is safe. */
  id: string
  fields: Partial<Lead>
  /** The button that was pressed. Undefined while someone writes. */
  isCalled?: boolean
  /** The last attempt did not reach the server. */
  isUnsent?: boolean
  problem?: { message: string; field: string | undefined }
}

const draftName = 'new lead'

const parse = (text: string): NewLead => (text ? JSON.parse(text) : { id: makeId(), fields: {} })

export const useNewLead = (): NewLead => parse(useDraft(draftName))

const save = (lead: NewLead) => saveDraft(draftName, JSON.stringify(lead))

export const changeField = (name: keyof Lead, value: string) => {
  const { id, fields } = parse(readDraft(draftName))
  save({ id, fields: { ...fields, [name]: value } })
}

let isSending = false

/** Sends the lead, and retries while there is no connection, even after a reload. */
export async function sendNewLead(refresh: Refresh, pressed?: boolean): Promise<void> {
  const { id, fields, isCalled = pressed } = parse(readDraft(draftName))
  if (isSending || isCalled === undefined) return
  isSending = true
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
    void attempt(refresh(), 'added.', { about: `${isolate(lead.name)}: ` })
  } catch (error) {
    // After signing out, the draft is gone.
    if (error instanceof Refused)
      save({ id, fields, problem: { message: error.message, field: error.field } })
  }
  isSending = false
}

/** Opens the form, and shows whether a lead is still unsaved. */
export function AddLink() {
  const { isUnsent } = useNewLead()
  return (
    <a className="button" data-quiet href={formatRoute({ screen: 'add' })}>
      <Icon name={isUnsent ? 'cloud' : 'add'} />
      {isUnsent ? 'Not saved yet' : 'Add a lead'}
    </a>
  )
}
