import type { EditorField, EditorSection } from '#site/schema/editor.ts'
import { readEntry } from '#site/schema/entry-path.ts'
import { Button, Icon } from '../elements.tsx'
import type { State } from './draft-store.ts'

type Note = { path?: string; message: string }

export type Form = Pick<State, 'draft'> & {
  mistakes: readonly Note[]
  warnings: readonly Note[]
  samples: readonly string[]
  change(path: string, next: (before: unknown) => unknown): void
}

export type FieldProps = {
  field: EditorField
  path: string
  form: Form
  /** The section's title is the same as the field's label. */
  isTitled?: boolean
}

/** Returns true if the path belongs to the section or one of its fields. */
export const isInSection = ({ id, fields }: EditorSection, path: string): boolean =>
  path === id || fields.some((field) => path === field.path || path.startsWith(`${field.path}.`))

export const listNotes = (notes: readonly Note[], path: string) => [
  ...new Set(notes.filter((note) => note.path === path).map(({ message }) => message)),
]

/** Lists the mistakes and warnings about an entry. */
export function Notes({ form, path, id }: { form: Form; path: string; id?: string }) {
  return (
    <div id={id} className="notes">
      {listNotes(form.mistakes, path).map((message) => (
        <p key={message} className="problem small">
          {message}
        </p>
      ))}
      {listNotes(form.warnings, path).map((message) => (
        <p key={message} className="doubt small">
          {message}
        </p>
      ))}
    </div>
  )
}

/** True if the draft has a sample mark at this path. */
export const isMarked = ({ draft }: Form, path: string) => readEntry(draft, path) === true

/** Shows that a part of the page is a sample, until the owner confirms that it is accurate. */
export function SampleMark({ form, path, task }: { form: Form; path: string; task: string }) {
  if (!isMarked(form, path)) return null
  return (
    <div className="sample">
      <p>
        <b>Sample: {task}.</b>
      </p>
      <button type="button" className="link" onClick={() => form.change(path, () => null)}>
        This is accurate, not a sample
      </button>
    </div>
  )
}

/** Labels a field as a sample if the section's sample mark covers it. */
export const SampleTag = ({ form, path }: { form: Form; path: string }) =>
  form.samples.includes(path) && <b className="tag">Sample</b>

type ToolProps = {
  name: string
  icon: 'add' | 'up' | 'down' | 'delete'
  onClick: (() => void) | undefined
}

/** An icon button. It is disabled without `onClick`. */
export const Tool = ({ name, icon, onClick }: ToolProps) => (
  <Button data-tool={icon} aria-label={name} title={name} disabled={!onClick} onClick={onClick}>
    <Icon name={icon} />
  </Button>
)
