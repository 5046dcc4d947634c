import { isDeepStrictEqual } from 'node:util'
import { formatOpeningHours } from '../sections/opening-hours.ts'
import { read } from './draft.ts'
import { type EditorField, editorSections } from './editor.ts'

/** A field whose entry differs, with short texts. A missing text means that there is none. */
export type Change = { label: string; before?: string; after?: string }

const maxLength = 90
const maxItems = 3

/** Lists the fields that differ between two drafts, such as "Reviews" or "Top of the page: Headline". */
export function listChanges(before: object, after: object): Change[] {
  return editorSections.flatMap(({ title, sample, fields }) => {
    const changes = fields.flatMap((field): Change[] => {
      const [old, now] = [read(before, field.path), read(after, field.path)]
      if (isDeepStrictEqual(old, now)) return []
      const label = field.label === title ? title : `${title}: ${field.label}`
      return [{ label, ...describeChange(field, old, now) }]
    })
    const isConfirmed = sample && read(before, sample) !== read(after, sample)
    return isConfirmed
      ? [...changes, { label: title, after: 'No longer marked as a sample' }]
      : changes
  })
}

function describeChange(field: EditorField, old: unknown, now: unknown): Omit<Change, 'label'> {
  if (field.kind !== 'list') return shorten(describe(field, old), describe(field, now))
  const [oldItems, newItems] = [asList(old), asList(now)].map((items) =>
    items.map((item) => cut(describeItem(field, item), maxLength / 2)),
  ) as [string[], string[]]
  const gone = oldItems.filter((item) => !newItems.includes(item))
  const added = newItems.filter((item) => !oldItems.includes(item))
  if (gone.length + added.length === 0) return { after: 'New order, or fewer samples' }
  return shorten(joinItems(gone), joinItems(added))
}

function describe({ kind, choices, fields }: EditorField, value: unknown): string {
  if (kind === 'choice') return choices?.find((one) => one.value === value)?.label ?? ''
  if (kind === 'group') return joinTexts(value, fields)
  if (kind !== 'hours') return String(value ?? '')
  if (value === 'always') return 'Always open (24/7)'
  const days = Object.entries(Object(value)).map(([day, spans]) => [day, asList(spans).map(String)])
  return formatOpeningHours(Object.fromEntries(days))
}

const describeItem = ({ fields }: EditorField, item: unknown) =>
  typeof item === 'string' ? item : joinTexts(item, fields)

const joinTexts = (value: unknown, fields: readonly EditorField[] = []) =>
  fields
    .map(({ path }) => read(value, path))
    .filter(Boolean)
    .join(', ')

const joinItems = (items: readonly string[]) =>
  items.length <= maxItems
    ? items.join('; ')
    : `${items.slice(0, maxItems).join('; ')}; and ${items.length - maxItems} more`

/** Leaves out empty texts, and cuts long ones. */
function shorten(before: string, after: string): Omit<Change, 'label'> {
  const limit = maxLength * maxItems
  return {
    ...(before && { before: cut(before, limit) }),
    ...(after && { after: cut(after, limit) }),
  }
}

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).trimEnd()}…` : text

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
