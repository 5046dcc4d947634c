import { type ReactNode, useId, useRef } from 'react'
import { Button } from './elements.tsx'

export function ConfirmButton({
  label,
  question,
  children,
  onConfirm,
}: {
  label: string
  question: string
  /** Explains the consequences. */
  children: ReactNode
  onConfirm: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()} aria-describedby={id}>
        {label}
      </Button>
      <dialog ref={dialog} aria-labelledby={id}>
        <form method="dialog" onSubmit={onConfirm}>
          <h2 id={id}>{question}</h2>
          <p>{children}</p>
          <div className="pair">
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
            <Button type="submit" isPrimary data-alarm>
              {label}
            </Button>
          </div>
        </form>
      </dialog>
    </>
  )
}
