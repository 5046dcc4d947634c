import { type ComponentProps, useId } from 'react'
import type { EditorField } from '#site/schema/editor.ts'
import { readEntry } from '#site/schema/entry-path.ts'
import { Select } from '../elements.tsx'
import { DateInput } from './date-input.tsx'
import { type FieldProps, listNotes, Notes, SampleTag } from './form.tsx'

const inputTypes: Partial<Record<EditorField['kind'], ComponentProps<'input'>['type']>> = {
  phone: 'tel',
  email: 'email',
  link: 'url',
  number: 'number',
}

/** An entry with one input. */
export function Entry({ field, path, form }: FieldProps) {
  const id = useId()
  const { kind, label, hint, optional, choices = [] } = field
  const value = readEntry(form.draft, path)
  // An optional entry that the owner leaves empty is stored as null.
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
    if (kind !== 'choice')
      return <input type={inputTypes[kind]} dir="auto" autoComplete="off" {...control} />
    return <Select {...control} choices={choices.map(({ value, label }) => [value, label])} />
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
