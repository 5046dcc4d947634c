import { type RefObject, type SubmitEvent, useState } from 'react'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { Refused, request } from '../api.ts'
import { Button } from '../elements.tsx'

/** Requires typing the name to prevent accidental deletion. */
export function EraseDialog({
  dialog,
  lead,
  onErased,
}: {
  dialog: RefObject<HTMLDialogElement | null>
  lead: LeadInFull
  onErased: (message: string) => void
}) {
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const canEraseHere = problem instanceof Refused && problem.code === 'not-erased'
  const rowIn = lead.deliveries.find((delivery) => delivery.rowIn)?.rowIn
  const erase = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = new FormData(event.currentTarget).get('name')
    const hereOnly = event.nativeEvent.submitter?.getAttribute('name') === 'here-only'
    setBusy(true)
    await request<{ message: string }>('DELETE', `/api/leads/${lead.id}`, {
      body: { name, hereOnly },
      needsData: true,
      // The server waits up to 60 s for other processes to finish sending to Airtable.
      timeoutMs: 75_000,
    }).then(({ message }) => onErased(message), setProblem)
    setBusy(false)
  }
  return (
    <dialog ref={dialog} aria-labelledby="erase-title" onClose={() => setProblem(undefined)}>
      <form onSubmit={erase}>
        <h2 id="erase-title">Erase this lead?</h2>
        <p>
          This deletes the lead{rowIn && ` here and in ${rowIn}`}. You can’t undo it or take back
          alerts already sent.
        </p>
        <label>
          <span>
            To confirm, type: <b dir="auto">{lead.name}</b>
          </span>
          <input
            name="name"
            autoComplete="off"
            required
            aria-invalid={(problem && !canEraseHere) || undefined}
          />
        </label>
        <p role="alert" className="problem">
          {problem?.message}
        </p>
        <div className="pair">
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <Button type="submit" isPrimary data-alarm disabled={isBusy}>
            {canEraseHere ? 'Try again' : 'Erase'}
          </Button>
        </div>
        {canEraseHere && (
          <>
            <p>Or erase the lead here only, and delete the row in Airtable yourself.</p>
            <Button type="submit" name="here-only" disabled={isBusy}>
              Erase here only
            </Button>
          </>
        )}
      </form>
    </dialog>
  )
}
