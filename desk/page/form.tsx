import type { EditorField } from '#site/schema/editor.ts'
import type { State } from './draft-store.ts'
import { readEntry } from './draft-tree.ts'

type Note = { path?: string; message: string }

export type Form = Pick<State, 'draft'> & {
  mistakes: readonly Note[]
  warnings: readonly Note[]
  timeZone: string
  change(path: string, next: (before: unknown) => unknown): void
}

export type FieldProps = { field: EditorField; path: string; form: Form }

export const findNotes = (notes: readonly Note[], path: string) => [
  ...new Set(notes.filter((note) => note.path === path).map(({ message }) => message)),
]

/** Lists the mistakes and warnings of an entry below it. */
export function Notes({ form, path, id }: { form: Form; path: string; id?: string }) {
  return (
    <div id={id} className="notes">
      {findNotes(form.mistakes, path).map((message) => (
        <p key={message} className="problem small">
          {message}
        </p>
      ))}
      {findNotes(form.warnings, path).map((message) => (
        <p key={message} className="doubt small">
          {message}
        </p>
      ))}
    </div>
  )
}

/** Marks an entry as a sample until the owner confirms that it is true. */
export function SampleMark({ form, path }: { form: Form; path: string | undefined }) {
  if (path === undefined || readEntry(form.draft, path) !== true) return null
  return (
    <div className="sample">
      <p>
        <b>Sample: replace it or delete it.</b>
      </p>
      <button type="button" className="link" onClick={() => form.change(path, () => null)}>
        This is accurate, not a sample
      </button>
    </div>
  )
}
