import { isDeepStrictEqual } from 'node:util'
import { formatOpeningHours } from '../sections/opening-hours.ts'
import { type EditorField, editorSections, joinLabels } from './editor.ts'
import { readEntry } from './entry-path.ts'

/**
 * A field whose entry differs. `before` is missing if the entry was empty, or if only its order or sample marks have
 * changed. `after` is missing if the entry is now empty.
 */
type DraftChange = Texts & { label: string }
type Texts = { before?: string; after?: string }

/** Lists the fields that differ between two drafts, such as "Reviews" or "Top of the page: Headline". */
export function compareDrafts(before: object, after: object): DraftChange[] {
  return editorSections.flatMap(({ title, sample, fields }) => {
    const changes = fields.flatMap((field): DraftChange[] => {
      const [old, now] = [readEntry(before, field.path), readEntry(after, field.path)]
      if (isDeepStrictEqual(old, now)) return []
      const label = joinLabels(title, field.label)
      return [{ label, ...describeChange(field, old, now) }]
    })
    if (!sample || readEntry(before, sample) === readEntry(after, sample)) return changes
    return [...changes, { label: title, after: describeMark(readEntry(after, sample)) }]
  })
}

function describeChange(field: EditorField, old: unknown, now: unknown): Texts {
  if (field.kind !== 'list') {
    const [before, after] = [describe(field, old), describe(field, now)]
    if (before === after && field.isMarked) return { after: describeMark(readEntry(now, 'sample')) }
    return omitEmpty(before, after)
  }
  const [oldItems, newItems] = [describeItems(field, old), describeItems(field, now)]
  const gone = oldItems.filter((item) => !newItems.includes(item))
  const added = newItems.filter((item) => !oldItems.includes(item))
  if (gone.length + added.length > 0) return omitEmpty(gone.join('\n'), added.join('\n'))
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
  asList(items).filter((item) => readEntry(item, 'sample') === true).length

function describe(field: EditorField, value: unknown): string {
  switch (field.kind) {
    case 'choice':
      return field.choices?.find((one) => one.value === value)?.label ?? ''
    case 'group':
      return joinTexts(value, field.fields)
    case 'list':
      return describeItems(field, value).join('\n')
    case 'hours':
      return value === 'always' ? 'Always open (24/7)' : describeWeek(Object(value))
    case 'line':
    case 'text':
    case 'phone':
    case 'email':
    case 'link':
    case 'number':
    case 'date':
      return String(value ?? '')
  }
}

const describeWeek = (week: object) =>
  formatOpeningHours(
    Object.fromEntries(
      Object.entries(week).map(([day, spans]) => [day, asList(spans).map(String)]),
    ),
  )

const describeItems = ({ fields }: EditorField, items: unknown) =>
  asList(items).map((item) => (typeof item === 'string' ? item : joinTexts(item, fields)))

const joinTexts = (value: unknown, fields: readonly EditorField[] = []) =>
  fields
    .map(({ path }) => readEntry(value, path))
    .filter(Boolean)
    .join(', ')

const omitEmpty = (before: string, after: string): Texts => ({
  ...(before && { before }),
  ...(after && { after }),
})

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
