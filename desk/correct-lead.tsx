import { useState } from 'react'
import { nameButton } from '#leads/describe-event.ts'
import type { Lead } from '#leads/fields.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { Refused } from './api.ts'
import { saveDraft, useDraft } from './drafts.ts'
import { Button } from './elements.tsx'
import { type InputProblem, LeadInputs } from './lead-inputs.tsx'
import { useUnsent } from './outbox.ts'
import { usePress } from './press.ts'

/** A correction that the person has not saved yet. */
type Draft = {
  /** The values when the person began to type. Undefined means the current values. */
  shown?: Lead
  /** Only the fields that differ from `shown`. */
  typed: Partial<Lead>
  problem?: InputProblem
}

/** Lets the crew correct what the homeowner sent. */
export function CorrectLead({ lead }: { lead: LeadInFull }) {
  const draftName = `correction ${lead.id}`
  const text = useDraft(draftName)
  const draft: Draft = text ? JSON.parse(text) : { typed: {} }
  const { typed, problem, shown = lead.values } = draft
  const save = (next: Draft) => saveDraft(draftName, JSON.stringify(next))
  const [isOpen, setOpen] = useState(text !== '')
  const [isSending, setSending] = useState(false)
  const disabled = useUnsent(lead.id).length > 0 || isSending
  const press = usePress()
  async function send() {
    setSending(true)
    const error = await press({ lead }, { kind: 'corrected', shown, fields: typed })
    setSending(false)
    if (!error) {
      setOpen(false)
      saveDraft(draftName, '')
    }
    if (!(error instanceof Refused)) return
    const { message, field, status } = error
    // After a conflict, show the colleague's values, except in the fields that the person has changed.
    save({ ...(status !== 409 && { shown }), typed, problem: { message, field } })
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{nameButton('corrected', lead)}</summary>
      {isOpen && (
        <form
          key={JSON.stringify(shown)}
          className="lead-form"
          onChange={({ currentTarget }) => {
            const fields = Object.entries(Object.fromEntries(new FormData(currentTarget)))
            const changed = fields.filter(([name, value]) => value !== shown[name as keyof Lead])
            save({ shown, typed: Object.fromEntries(changed) })
          }}
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <LeadInputs fields={{ ...shown, ...typed }} disabled={disabled} problem={problem} />
          <Button type="submit" isPrimary disabled={disabled}>
            Save
          </Button>
        </form>
      )}
    </details>
  )
}
