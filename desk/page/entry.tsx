import { useId } from 'react'
import { readEntry } from '#site/schema/entry-path.ts'
import { Select } from '../elements.tsx'
import { DateInput } from './date-input.tsx'
import { type FieldProps, listNotes, Notes, SampleTag } from './form.tsx'

const inputTypes = { line: 'text', phone: 'tel', email: 'email', link: 'url', number: 'number' }

type EntryProps = FieldProps & { kind: keyof typeof inputTypes | 'text' | 'date' | 'choice' }

/** A form entry with one input. */
export function Entry({ kind, field, path, form }: EntryProps) {
  const id = useId()
  const { label, hint, optional, choices = [] } = field
  const value = readEntry(form.draft, path)
  // Store an empty optional entry as null.
  const change = (text: string) => {
    const next = kind === 'number' && text !== '' ? Number(text) : text
    form.change(path, () => (optional && text === '' ? null : next))
  }
  const control = {
    id,
    value: String(value ?? ''),
    'aria-describedby': `${id}-hint ${id}-notes`,
    'aria-invalid': listNotes(form.mistakes, path).length > 0 || undefined,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  }
  const input = () => {
    if (kind === 'text') return <textarea rows={2} dir="auto" {...control} />
    if (kind === 'date') return <DateInput {...control} onChange={change} />
    if (kind === 'choice')
      return <Select {...control} choices={choices.map(({ value, label }) => [value, label])} />
    return <input type={inputTypes[kind]} dir="auto" autoComplete="off" {...control} />
  }
  return (
    <div className="entry">
      <div className="entry-head">
        <label htmlFor={id}>
          <span>
            {label}
            {optional && <span className="quiet"> (optional)</span>}
          </span>
        </label>
        <SampleTag form={form} path={path} />
      </div>
      {input()}
      <p id={`${id}-hint`} className="quiet small">
        {hint}
      </p>
      <Notes form={form} path={path} id={`${id}-notes`} />
    </div>
  )
}
