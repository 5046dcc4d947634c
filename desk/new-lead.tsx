import { useEffect } from 'react'
import type { Lead } from '#leads/fields.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { Refused, request, SignedOut } from './api.ts'
import { readDraft, saveDraft, useDraft } from './drafts.ts'
import { Icon } from './elements.tsx'
import { attempt, isolate } from './notice.tsx'
import { makeId, waitToRetry } from './outbox.ts'
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
  problem?: { message: string; field?: string }
}

const draftName = 'new lead'

const parse = (text: string): NewLead => (text ? JSON.parse(text) : { id: makeId(), fields: {} })

export const useNewLead = (): NewLead => parse(useDraft(draftName))

const save = (lead: NewLead) => saveDraft(draftName, JSON.stringify(lead))

export const changeField = (name: keyof Lead, value: string) => {
  const { problem: _, ...lead } = parse(readDraft(draftName))
  save({ ...lead, fields: { ...lead.fields, [name]: value } })
}

let isSending = false

/** Sends the lead, and retries while there is no connection, even after a reload. */
export async function sendNewLead(refresh: Refresh, isCalled?: boolean): Promise<void> {
  const { problem: _, ...draft } = parse(readDraft(draftName))
  const lead = { ...draft, isCalled: isCalled ?? draft.isCalled }
  if (isSending || lead.isCalled === undefined) return
  isSending = true
  const { id, fields } = lead
  const body = { id, fields, isCalled: lead.isCalled }
  for (save({ ...lead, isCalled: lead.isCalled }); ; ) {
    const answer = await request<{ lead: LeadInFull }>('POST', '/api/leads', {
      body,
      needsData: true,
    }).catch((error: Error) => error)
    if (!(answer instanceof Error)) {
      saveDraft(draftName, '')
      const { name } = answer.lead
      if (location.hash === formatRoute({ screen: 'add' }))
        replaceHash(formatRoute({ leadId: answer.lead.id }))
      void attempt(refresh(), 'added.', { about: `${isolate(name)}: ` })
      break
    }
    if (answer instanceof SignedOut) break
    if (answer instanceof Refused && answer.status < 500) {
      const { message, field } = answer
      save({ id, fields, problem: { message, ...(field && { field }) } })
      break
    }
    save({ ...body, isUnsent: true })
    await waitToRetry()
  }
  isSending = false
}

/** Opens the form, and shows whether a lead is still unsaved. */
export function AddLink({ refresh }: { refresh: Refresh }) {
  const { isCalled, isUnsent } = useNewLead()
  useEffect(() => void sendNewLead(refresh), [refresh])
  return (
    <a className="button" data-quiet href={formatRoute({ screen: 'add' })}>
      <Icon name={isUnsent ? 'cloud' : 'add'} />
      {isCalled === undefined ? 'Add a lead' : isUnsent ? 'Not saved yet' : 'Saving…'}
    </a>
  )
}
