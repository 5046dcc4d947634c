import { type FocusEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { capitalize } from '#leads/words.ts'
import type { EditorField } from '#site/schema/editor.ts'
import { joinPath, readEntry } from '#site/schema/entry-path.ts'
import { Button } from '../elements.tsx'
import { offerUndo } from '../notice.tsx'
import { Entry } from './entry.tsx'
import { type FieldProps, isMarked, Notes, SampleMark, SampleTag, Tool } from './form.tsx'
import { HoursField } from './hours-field.tsx'

/** The value of a group before the owner fills it in. */
const makeGroup = (fields: readonly EditorField[]): object =>
  Object.fromEntries(fields.map(({ path }) => [path, '']))

/** One entry of the form, as site/schema/editor.ts describes it. */
export function FormField(props: FieldProps): ReactNode {
  const { kind } = props.field
  if (kind === 'group') return <GroupField {...props} />
  if (kind === 'list') return <ListField {...props} />
  if (kind === 'hours') return <HoursField {...props} />
  return <Entry kind={kind} {...props} />
}

/** Several entries that belong together, such as an address. The owner can leave out an optional group. */
function GroupField({ field, path, form }: FieldProps) {
  const { label, hint, optional, fields = [] } = field
  const value = readEntry(form.draft, path)
  const noun = label.toLowerCase()
  const remove = () => {
    form.change(path, () => null)
    offerUndo(`${label} deleted.`, () => form.change(path, () => value))
  }
  return (
    <fieldset className="entries">
      <legend>
        {label} <SampleTag form={form} path={path} />
      </legend>
      <p className="quiet small">{hint}</p>
      {value ? (
        <>
          <SampleMark
            form={form}
            path={joinPath(path, 'sample')}
            task={`replace or delete this ${noun}`}
          />
          {fields.map((inner) => (
            <FormField
              key={inner.path}
              field={inner}
              path={joinPath(path, inner.path)}
              form={form}
            />
          ))}
          {optional && <Button onClick={remove}>Delete {noun}</Button>}
        </>
      ) : (
        <Button onClick={() => form.change(path, () => makeGroup(fields))}>Add {noun}</Button>
      )}
      <Notes form={form} path={path} />
    </fieldset>
  )
}

/** A list whose items can be added, moved, and deleted. Items with several fields open one at a time. */
function ListField({ field, path, form, isTitled }: FieldProps) {
  const { label, hint, item: noun = 'item', newItem } = field
  const value = readEntry(form.draft, path)
  const items: unknown[] = Array.isArray(value) ? value : []
  const list = useRef<HTMLOListElement>(null)
  const [openAt, setOpenAt] = useState<number>()
  const [newAt, setNewAt] = useState<number>()
  const change = (next: (before: unknown[]) => unknown[]) =>
    form.change(path, (before) => next(Array.isArray(before) ? before : []))
  const add = () => {
    change((before) => [...before, newItem])
    setOpenAt(items.length)
    setNewAt(items.length)
  }
  const move = (from: number, to: number) => {
    change((before) => before.toSpliced(from, 1).toSpliced(to, 0, before[from]))
    setOpenAt(to)
    setNewAt(undefined)
    // React keys items by position, so move the focus to the item's new buttons.
    requestAnimationFrame(() => {
      const find = (selector: string) =>
        list.current?.children[to]?.querySelector<HTMLElement>(`.item-tools ${selector}:enabled`)
      const button = find(`[data-tool="${to < from ? 'up' : 'down'}"]`) ?? find('button')
      button?.focus()
    })
  }
  const remove = (places: readonly number[], what: string) => {
    change((before) => before.filter((_, at) => !places.includes(at)))
    setOpenAt(undefined)
    setNewAt(undefined)
    offerUndo(`${what} deleted.`, () =>
      change((before) => places.reduce((all, at) => all.toSpliced(at, 0, items[at]), before)),
    )
  }
  const samples = [...items.keys()].filter((at) => isMarked(form, joinPath(path, at, 'sample')))
  return (
    <fieldset className="entries">
      <legend className={isTitled ? 'unseen' : undefined}>
        {label} <SampleTag form={form} path={path} />
      </legend>
      <p className="quiet small">{hint}</p>
      {samples.length > 1 && (
        <Button onClick={() => remove(samples, `${samples.length} ${noun}s`)}>
          Delete {samples.length} sample {noun}s
        </Button>
      )}
      <ol ref={list} className="items">
        {items.map((_, at) => (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no ID and keep no state
            key={at}
            at={at}
            isOpen={openAt === at}
            isNew={newAt === at}
            onLeave={() => setNewAt(undefined)}
            onToggle={() => setOpenAt(openAt === at ? undefined : at)}
            onMove={(to) => (to >= 0 && to < items.length ? () => move(at, to) : undefined)}
            onDelete={(name) => remove([at], name)}
            {...{ field, form, path }}
          />
        ))}
      </ol>
      <Notes form={form} path={path} />
      <Button onClick={add}>Add a {noun}</Button>
    </fieldset>
  )
}

type ItemProps = FieldProps & {
  at: number
  isOpen: boolean
  /** The owner has just added the item, so its empty entries are not mistakes yet. */
  isNew: boolean
  onLeave: () => void
  onToggle: () => void
  /** Returns the function that moves the item, or undefined if the list has no such position. */
  onMove: (to: number) => (() => void) | undefined
  onDelete: (name: string) => void
}

function Item({ field, form, path: listPath, at, isNew, ...item }: ItemProps) {
  const { item: noun = 'item', fields = [] } = field
  const id = useId()
  const place = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isNew) place.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [isNew])
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (isNew && !currentTarget.contains(relatedTarget)) item.onLeave()
  }
  const path = joinPath(listPath, at)
  const samplePath = joinPath(path, 'sample')
  const name = `${capitalize(noun)} ${at + 1}`
  const title = String(readEntry(form.draft, joinPath(path, fields[0]?.path ?? '')) ?? '').trim()
  const isPlain = fields[0]?.path === ''
  // Dates can't be moved, because their order has no meaning.
  const isDate = fields[0]?.kind === 'date'
  const isOpen = isPlain || item.isOpen
  const isWrong = form.mistakes.some((mistake) => `${mistake.path}.`.startsWith(`${path}.`))
  const shown = isNew ? { ...form, mistakes: [] } : form
  return (
    <li ref={place} className="item" onBlur={leave} data-plain={isPlain || undefined}>
      {!isPlain && (
        <button
          type="button"
          className="item-head"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={item.onToggle}
        >
          <span dir="auto">{title || name}</span>
          {isMarked(form, samplePath) && <b className="tag">Sample</b>}
          {!isNew && isWrong && (
            <b className="tag" data-alarm>
              Fix
            </b>
          )}
        </button>
      )}
      <div id={id} className="item-body" hidden={!isOpen}>
        {isOpen && (
          <>
            <SampleMark form={form} path={samplePath} task={`replace or delete this ${noun}`} />
            {fields.map((inner) => (
              <FormField
                key={inner.path}
                field={isPlain ? { ...inner, label: name } : inner}
                path={joinPath(path, inner.path)}
                form={shown}
              />
            ))}
            <div className="item-tools">
              {!isDate && (
                <>
                  <Tool name={`Move ${name} up`} icon="up" onClick={item.onMove(at - 1)} />
                  <Tool name={`Move ${name} down`} icon="down" onClick={item.onMove(at + 1)} />
                </>
              )}
              <Tool name={`Delete ${name}`} icon="delete" onClick={() => item.onDelete(name)} />
            </div>
          </>
        )}
      </div>
    </li>
  )
}
