import { type FormEvent, type RefObject, useState } from 'react'
import type { LeadInFull } from '#leads/desk/describe.ts'
import { ask } from '../api.ts'
import { Button } from '../button.tsx'

/** Nobody erases by a slip of the thumb: the name has to be typed. */
export function EraseDialog({
  dialog,
  lead,
  onErased,
}: {
  dialog: RefObject<HTMLDialogElement | null>
  lead: LeadInFull
  onErased: (said: string) => void
}) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const erase = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const body = { name: new FormData(event.currentTarget).get('name') }
    setBusy(true)
    await ask<{ said: string }>('DELETE', `/api/leads/${lead.id}`, {
      body,
      reads: true,
      // It waits for Airtable's turn.
      patienceMs: 75_000,
    }).then(
      ({ said }) => onErased(said),
      (error: Error) => setProblem(error.message),
    )
    setBusy(false)
  }
  return (
    <dialog ref={dialog} aria-labelledby="erase-title" onClose={() => setProblem(undefined)}>
      <form onSubmit={erase}>
        <h2 id="erase-title">Erase this person?</h2>
        <p>Here and in Airtable, forever. Alerts that were sent cannot be called back.</p>
        <label>
          <span>
            To confirm, type the name: <b dir="auto">{lead.name}</b>
          </span>
          <input name="name" autoComplete="off" required aria-invalid={Boolean(problem)} />
        </label>
        <p role="alert" className="problem">
          {problem}
        </p>
        <div className="pair">
          <Button onClick={() => dialog.current?.close()}>Keep</Button>
          <Button type="submit" isLoud data-alarm disabled={isBusy}>
            Erase
          </Button>
        </div>
      </form>
    </dialog>
  )
}
