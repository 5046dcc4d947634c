import { isDeepStrictEqual } from 'node:util'
import { formatOpeningHours } from '../sections/opening-hours.ts'
import { type EditorField, editorSections, joinLabels } from './editor.ts'
import { readEntry } from './entry-path.ts'

/** A field whose entry differs. `before` or `after` is missing if the entry was empty then. */
export type Change = { label: string; before?: string; after?: string }

/** Lists the fields that differ between two drafts, such as "Reviews" or "Top of the page: Headline". */
export function listChanges(before: object, after: object): Change[] {
  return editorSections.flatMap(({ title, sample, fields }) => {
    const changes = fields.flatMap((field): Change[] => {
      const [old, now] = [readEntry(before, field.path), readEntry(after, field.path)]
      if (isDeepStrictEqual(old, now)) return []
      const label = joinLabels(title, field.label)
      return [{ label, ...describeChange(field, old, now) }]
    })
    if (!sample || readEntry(before, sample) === readEntry(after, sample)) return changes
    return [...changes, { label: title, after: describeMark(readEntry(after, sample)) }]
  })
}

function describeChange(field: EditorField, old: unknown, now: unknown): Omit<Change, 'label'> {
  if (field.kind !== 'list') {
    const [before, after] = [describe(field, old), describe(field, now)]
    if (before === after && field.isMarked) return { after: describeMark(readEntry(now, 'sample')) }
    return omitEmpty(before, after)
  }
  const [oldItems, newItems] = [asList(old), asList(now)].map((items) =>
    items.map((item) => describeItem(field, item)),
  ) as [string[], string[]]
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
    .map(({ path }) => readEntry(value, path))
    .filter(Boolean)
    .join(', ')

const omitEmpty = (before: string, after: string): Omit<Change, 'label'> => ({
  ...(before && { before }),
  ...(after && { after }),
})

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
