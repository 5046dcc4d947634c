import { useRef, useState } from 'react'
import { count } from '#leads/words.ts'
import type { PageData } from '#server/page-routes.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Button } from '../elements.tsx'
import { attempt, hideNotice } from '../notice.tsx'
import { formatRoute } from '../route.ts'
import type { DraftStore, State } from './draft-store.ts'
import { isInSection } from './form.tsx'

type Props = { page: PageData; state: State; store: DraftStore }

/** Shows whether the draft is saved, and publishes it. The bar stays on the screen. */
export function PublishBar({ page, state, store }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { save, done, trouble } = state
  const [isAsking, setAsking] = useState(false)
  const ask = () => {
    setAsking(true)
    // Avoid showing two Undo buttons side by side.
    hideNotice()
    dialog.current?.showModal()
    if (save === 'pending' || save === 'failed') void store.save()
  }
  return (
    <div className="publish-bar">
      <p role="status" data-trouble={save === 'failed' || undefined}>
        {done?.text ?? describeSave(page, state)}{' '}
        {done && (
          <a href={page.pageUrl} target="_blank" rel="noreferrer">
            Open the page
          </a>
        )}
      </p>
      {save === 'conflict' && <Conflict store={store} trouble={trouble} />}
      {done?.undo && <UndoPublish {...done.undo} store={store} />}
      {!done && (
        <Button className="button to-preview" onClick={showPreview}>
          Preview
        </Button>
      )}
      {!done && save !== 'conflict' && (
        <Button isPrimary disabled={save === 'saved' && page.changes.length === 0} onClick={ask}>
          Publish…
        </Button>
      )}
      <dialog ref={dialog} aria-labelledby="publish-question" onClose={() => setAsking(false)}>
        {isAsking && (
          <PublishQuestion {...{ page, state, store }} onClose={() => dialog.current?.close()} />
        )}
      </dialog>
    </div>
  )
}

/** Scrolls to the preview, which is below the form on a narrow screen. */
const showPreview = () => document.getElementById('preview')?.scrollIntoView()

function describeSave({ changes, mistakes, saved }: PageData, { save, trouble }: State): string {
  if (save === 'pending') return 'Saving…'
  if (save === 'failed') return `Not saved yet. ${trouble}`
  if (save === 'conflict') return ''
  if (changes.length === 0) return 'Everything is published.'
  if (mistakes.length > 0) return `Saved. ${count(mistakes.length, 'entry', 'entries')} to fix.`
  const who = saved && !saved.isMine ? ` by ${saved.person}` : ''
  return `Saved${who}, not published yet.`
}

function UndoPublish({
  number,
  bringsReviews,
  store,
}: NonNullable<NonNullable<State['done']>['undo']> & { store: DraftStore }) {
  const undo = () =>
    attempt(
      store.publishAgain(number, 'Undone. Visitors see the earlier page.'),
      'Undone. Find your version under “Older versions.”',
    )
  if (!bringsReviews) return <Button onClick={undo}>Undo</Button>
  return (
    <ConfirmButton label="Undo" question="Bring back the sample reviews?" onConfirm={undo}>
      The earlier page has made-up reviews. Fake reviews are against US law (16 CFR 465).
    </ConfirmButton>
  )
}

function PublishQuestion({ page, state, store, onClose }: Props & { onClose: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { save, trouble } = state
  const publish = async () => {
    setBusy(true)
    setProblem(undefined)
    await store.publish().then(onClose, (error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const isSaved = save === 'saved'
  const canPublish = isSaved && page.mistakes.length === 0
  const unsavedTitle = save === 'pending' ? 'Saving…' : 'Not published'
  const savedTitle = canPublish ? 'Publish these changes?' : 'Fix this first'
  return (
    <div>
      <h2 id="publish-question">{isSaved ? savedTitle : unsavedTitle}</h2>
      {isSaved && !canPublish && <NoteLinks notes={page.mistakes} {...{ page, onClose }} />}
      {canPublish && <Changes {...{ page, onClose }} />}
      <p className="problem" role="alert">
        {trouble ?? problem}
      </p>
      <div className="pair">
        <Button onClick={onClose}>{canPublish ? 'Cancel' : 'Close'}</Button>
        {canPublish && (
          <Button isPrimary disabled={isBusy} onClick={publish}>
            Publish
          </Button>
        )}
      </div>
    </div>
  )
}

const focus = (element: HTMLElement | null) => element?.focus()

const Changes = ({ page, onClose }: { page: PageData; onClose: () => void }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll only the focused element */}
    <ul className="changes" tabIndex={0} ref={focus} aria-label="Changes">
      {page.changes.map(({ label, before, after }) => (
        <li key={label}>
          <b>{label}</b>
          <p className="small" dir="auto">
            {before && <del>{before}</del>} {after && <ins>{after}</ins>}
          </p>
        </li>
      ))}
    </ul>
    {page.warnings.length > 0 && (
      <div className="small">
        <p className="doubt">You can publish anyway, but check this:</p>
        <NoteLinks notes={page.warnings} {...{ page, onClose }} />
      </div>
    )}
  </>
)

/** Shown after someone else, or a different tab, saved a newer draft. The owner chooses which draft to keep. */
function Conflict({ store, trouble }: { store: DraftStore; trouble: string | undefined }) {
  const choose = (choice: Promise<void>, message: string) => void attempt(choice, message)
  return (
    <div role="alert" className="conflict">
      <p>{trouble}</p>
      <div className="pair">
        <Button onClick={() => choose(store.takeTheirs(), 'The newer version is loaded.')}>
          Load the newer version
        </Button>
        <Button onClick={() => choose(store.keepMine(), 'Your version is saved.')}>
          Keep mine
        </Button>
      </div>
    </div>
  )
}

type NoteLinksProps = { notes: PageData['warnings']; page: PageData; onClose?: () => void }

/** Links each note to the section that it is about, if the desk can edit that section. */
export function NoteLinks({ notes, page, onClose }: NoteLinksProps) {
  return (
    <ul className="changes">
      {notes.map(({ path = '', message }) => {
        const section = page.sections.find((each) => isInSection(each, path))
        const href = formatRoute({ screen: 'page', query: section?.id ?? '' })
        return (
          <li key={path + message}>
            {section ? (
              <a href={href} onClick={onClose}>
                {message}
              </a>
            ) : (
              message
            )}
          </li>
        )
      })}
    </ul>
  )
}
