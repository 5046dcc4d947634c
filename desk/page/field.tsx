import { type FocusEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { capitalize } from '#leads/words.ts'
import { Button, Icon } from '../elements.tsx'
import { attempt } from '../notice.tsx'
import { joinPath, makeGroup, readEntry } from './draft-tree.ts'
import { Entry } from './entry.tsx'
import { type FieldProps, Notes, SampleMark } from './form.tsx'
import { HoursField } from './hours-field.tsx'

/** One entry of the form. The site describes it (site/schema/editor.ts). */
export function Field(props: FieldProps): ReactNode {
  const { kind } = props.field
  if (kind === 'group') return <GroupField {...props} />
  if (kind === 'list') return <ListField {...props} />
  if (kind === 'hours') return <HoursField {...props} />
  return <Entry {...props} />
}

/** Several entries that the owner can leave out together, such as an address. */
function GroupField({ field, path, form }: FieldProps) {
  const { label, hint, optional, fields = [] } = field
  const value = readEntry(form.draft, path)
  const remove = () => {
    form.change(path, () => null)
    const undo = () => form.change(path, () => value)
    void attempt(Promise.resolve(), `${label} deleted.`, { makeUndo: () => undo })
  }
  return (
    <fieldset className="entries">
      <legend>{label}</legend>
      <p className="quiet small">{hint}</p>
      {value ? (
        <>
          <SampleMark form={form} path={joinPath(path, 'sample')} />
          {fields.map((inner) => (
            <Field key={inner.path} field={inner} path={joinPath(path, inner.path)} form={form} />
          ))}
          {optional && <Button onClick={remove}>Delete {label.toLowerCase()}</Button>}
        </>
      ) : (
        <Button onClick={() => form.change(path, () => makeGroup(fields))}>
          Add {label.toLowerCase()}
        </Button>
      )}
      <Notes form={form} path={path} />
    </fieldset>
  )
}

/** A list whose items can be added, moved, and deleted. Items with several fields open one at a time. */
function ListField({ field, path, form }: FieldProps) {
  const { label, hint, item: noun = 'item', newItem, fields = [] } = field
  const isPlain = fields[0]?.path === ''
  const value = readEntry(form.draft, path)
  const items = Array.isArray(value) ? value : []
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
    if (openAt === from) setOpenAt(to)
    setNewAt(undefined)
    // React keys items by position, so move the focus to the item's new buttons.
    requestAnimationFrame(() => {
      const find = (selector: string) =>
        list.current?.children[to]?.querySelector<HTMLElement>(`.item-tools ${selector}:enabled`)
      const button = find(`[data-tool="${to < from ? 'up' : 'down'}"]`) ?? find('button')
      button?.focus()
    })
  }
  const samples = items.filter((item) => readEntry(item, 'sample') === true)
  const removeSamples = () => {
    change((before) => before.filter((item) => !samples.includes(item)))
    setOpenAt(undefined)
    const undo = () => change((before) => [...samples, ...before])
    void attempt(Promise.resolve(), `${samples.length} ${noun}s deleted.`, { makeUndo: () => undo })
  }
  const remove = (at: number) => {
    change((before) => before.toSpliced(at, 1))
    setOpenAt(undefined)
    setNewAt(undefined)
    const undo = () => change((before) => before.toSpliced(at, 0, items[at]))
    void attempt(Promise.resolve(), `${capitalize(noun)} deleted.`, { makeUndo: () => undo })
  }
  return (
    <fieldset className="entries">
      <legend>{label}</legend>
      <p className="quiet small">{hint}</p>
      {samples.length > 1 && (
        <Button onClick={removeSamples}>
          Delete {samples.length} sample {noun}s
        </Button>
      )}
      <ol ref={list} className="items">
        {items.map((_, at) => (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no ID and no state
            key={at}
            name={`${capitalize(noun)} ${at + 1}`}
            title={nameItem(items[at], fields[0]?.path ?? '')}
            isPlain={isPlain}
            isOpen={isPlain || openAt === at}
            isNew={newAt === at}
            onLeave={() => setNewAt(undefined)}
            onToggle={() => setOpenAt(openAt === at ? undefined : at)}
            onMoveUp={at > 0 ? () => move(at, at - 1) : undefined}
            onMoveDown={at < items.length - 1 ? () => move(at, at + 1) : undefined}
            onDelete={() => remove(at)}
            {...{ fields, form, path: joinPath(path, at) }}
          />
        ))}
      </ol>
      <Notes form={form} path={path} />
      <Button onClick={add}>Add a {noun}</Button>
    </fieldset>
  )
}

type ItemProps = Pick<FieldProps, 'form' | 'path'> & {
  fields: readonly FieldProps['field'][]
  name: string
  title: string
  isPlain: boolean
  isOpen: boolean
  /** The owner has just added it, so its empty entries are not mistakes yet. */
  isNew: boolean
  onLeave: () => void
  onToggle: () => void
  onMoveUp: (() => void) | undefined
  onMoveDown: (() => void) | undefined
  onDelete: () => void
}

function Item({ fields, form, path, name, title, isPlain, isOpen, isNew, ...on }: ItemProps) {
  const id = useId()
  const place = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isNew) place.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [isNew])
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (isNew && !currentTarget.contains(relatedTarget)) on.onLeave()
  }
  const mistakes = form.mistakes.filter(
    (mistake) => mistake.path === path || mistake.path?.startsWith(`${path}.`),
  )
  const isSample = readEntry(form.draft, joinPath(path, 'sample')) === true
  const shown = isNew ? { ...form, mistakes: [] } : form
  return (
    <li ref={place} className="item" onBlur={leave} data-plain={isPlain || undefined}>
      {!isPlain && (
        <button
          type="button"
          className="item-head"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={on.onToggle}
        >
          <span dir="auto">{title || name}</span>
          {isSample && <b className="tag">Sample</b>}
          {!isNew && mistakes.length > 0 && (
            <b className="tag" data-alarm>
              Fix
            </b>
          )}
        </button>
      )}
      <div id={id} className="item-body" hidden={!isOpen}>
        {isOpen && (
          <>
            {!isPlain && <SampleMark form={form} path={joinPath(path, 'sample')} />}
            {fields.map((inner) => (
              <Field
                key={inner.path}
                field={isPlain ? { ...inner, label: name } : inner}
                path={joinPath(path, inner.path)}
                form={shown}
              />
            ))}
            <div className="item-tools">
              <Tool name={`Move ${name} up`} icon="up" onClick={on.onMoveUp} />
              <Tool name={`Move ${name} down`} icon="down" onClick={on.onMoveDown} />
              <Tool name={`Delete ${name}`} icon="delete" onClick={on.onDelete} />
            </div>
          </>
        )}
      </div>
    </li>
  )
}

const Tool = ({
  name,
  icon,
  onClick,
}: {
  name: string
  icon: 'up' | 'down' | 'delete'
  onClick: (() => void) | undefined
}) => (
  <Button data-tool={icon} aria-label={name} title={name} disabled={!onClick} onClick={onClick}>
    <Icon name={icon} />
  </Button>
)

const nameItem = (item: unknown, path: string) => String(readEntry(item, path) ?? '').trim()
