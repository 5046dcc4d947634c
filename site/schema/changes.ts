import { isDeepStrictEqual } from 'node:util'
import { formatOpeningHours } from '../sections/opening-hours.ts'
import { cut, read } from './draft.ts'
import { type EditorField, editorSections, joinLabels } from './editor.ts'

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
      const label = joinLabels(title, field.label)
      return [{ label, ...describeChange(field, old, now) }]
    })
    if (!sample || read(before, sample) === read(after, sample)) return changes
    return [...changes, { label: title, after: describeMark(read(after, sample)) }]
  })
}

function describeChange(field: EditorField, old: unknown, now: unknown): Omit<Change, 'label'> {
  if (field.kind !== 'list') {
    const [before, after] = [describe(field, old), describe(field, now)]
    if (before === after && field.isMarked) return { after: describeMark(read(now, 'sample')) }
    return shorten(before, after, maxLength * maxItems)
  }
  const [oldItems, newItems] = [asList(old), asList(now)].map((items) =>
    items.map((item) => describeItem(field, item)),
  ) as [string[], string[]]
  const gone = oldItems.filter((item) => !newItems.includes(item))
  const added = newItems.filter((item) => !oldItems.includes(item))
  if (gone.length === 1 && added.length === 1)
    return shorten(gone[0] ?? '', added[0] ?? '', maxLength)
  if (gone.length + added.length > 0)
    return shorten(joinItems(gone), joinItems(added), maxLength * maxItems)
  if (!isDeepStrictEqual(oldItems, newItems)) return { after: 'New order' }
  const isConfirmed = countSamples(old) > countSamples(now)
  return {
    after: isConfirmed
      ? 'Some are no longer marked as samples'
      : 'Some are marked as samples again',
  }
}

const describeMark = (sample: unknown) =>
  sample === true ? 'Marked as a sample' : 'No longer marked as a sample'

const countSamples = (items: unknown) =>
  asList(items).filter((item) => read(item, 'sample') === true).length

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

function joinItems(items: readonly string[]): string {
  const shown = items.slice(0, maxItems).map((item) => cut(item, maxLength / 2))
  const more = items.length - maxItems
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

// Enough to recognize the place of a change in a long text.
const contextLength = 20

/** Leaves out empty texts, and cuts long ones. If they begin alike, the part that differs is shown. */
function shorten(before: string, after: string, limit: number): Omit<Change, 'label'> {
  let same = 0
  while (same < before.length && before[same] === after[same]) same += 1
  const start = same > limit - contextLength ? same - contextLength : 0
  const cutFrom = (text: string) => cut(start > 0 ? `…${text.slice(start)}` : text, limit)
  return {
    ...(before && { before: cutFrom(before) }),
    ...(after && { after: cutFrom(after) }),
  }
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
