import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { formatPhone } from '#leads/lead.ts'
import { type Content, checkOptions, contentSchema } from './content-schema.ts'
import { type ContentWarning, findContentWarnings } from './content-warnings.ts'
import {
  type EditorSection,
  editableEntries,
  editorSections,
  findLabel,
  joinLabels,
} from './editor.ts'
import { listTexts, readEntry, writeEntry } from './entry-path.ts'
import { explainSpan } from './hours-rules.ts'
import { fillIn } from './placeholders.ts'
import { explainTooMany, maxEntries } from './rules.ts'

/**
 * The entries that the owner can edit on the desk, with the same structure as the content. An optional entry that the
 * owner has left out is null. A missing entry means that the one in site/content.ts applies.
 */
type Draft = object

type Mistake = { path: string; message: string }
type Warning = { path?: string; message: string }

export function pickEditable(content: Content): Draft {
  let draft: unknown = {}
  for (const { path } of editableEntries)
    draft = writeEntry(draft, path, readEntry(content, path) ?? null)
  return draft as Draft
}

/** Finds an entry that must not be stored, because it has too many items or is too deeply nested to check or edit. */
export function findMisfit(draft: unknown): Mistake | undefined {
  for (const { path, depth } of editableEntries) {
    const value = readEntry(draft, path)
    if (fits(value, depth)) continue
    const isTooLong = Array.isArray(value) && value.length > maxEntries
    return explainMistake(
      path,
      isTooLong ? explainTooMany(value.length) : 'has a list or a group where text belongs.',
    )
  }
}

function fits(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  const inner = Object.values(value)
  return depth > 0 && inner.length <= maxEntries && inner.every((each) => fits(each, depth - 1))
}

/** Adds the entries of site/content.ts that the draft lacks. The result may have mistakes. */
export function mergeDraft(draft: unknown, file: Content): unknown {
  let whole: unknown = file
  for (const { path, depth } of editableEntries) {
    const value = readEntry(draft, path)
    if (value === undefined || !fits(value, depth)) continue
    const isTyped =
      path === 'company.phone' && typeof value === 'string' && value !== file.company.phone
    whole = writeEntry(whole, path, isTyped ? formatPhone(value) : clean(value))
  }
  for (const section of editorSections)
    if (section.sample && listUnchanged(section, whole, file).length === 0)
      whole = writeEntry(whole, section.sample, undefined)
  return whole
}

/** Lists the entries that are still made up, such as company.phone and testimonials.reviews.0. */
export const listSamples = (content: unknown, file: Content): string[] =>
  editorSections.flatMap((section) => [
    ...listUnchanged(section, content, file),
    ...section.fields.flatMap(({ path, kind, isMarked }) => {
      const value = readEntry(content, path)
      if (!isMarked) return []
      if (kind !== 'list') return readEntry(value, 'sample') === true ? [path] : []
      const items = Object.entries(Object(value))
      return items.flatMap(([at, item]) =>
        readEntry(item, 'sample') === true ? [`${path}.${at}`] : [],
      )
    }),
  ])

/**
 * Lists the fields that a section's sample mark covers: those without a separate mark that still match site/content.ts.
 */
function listUnchanged({ sample, fields }: EditorSection, content: unknown, file: Content) {
  if (!sample || readEntry(content, sample) !== true) return []
  return fields.flatMap(({ path, isMarked }) =>
    !isMarked && isUnchanged(readEntry(content, path), readEntry(file, path)) ? [path] : [],
  )
}

/** A list counts as unchanged if any of its items is unchanged. */
const isUnchanged = (value: unknown, original: unknown): boolean =>
  Array.isArray(value) && Array.isArray(original)
    ? value.some((item) => original.some((other) => isDeepStrictEqual(item, other)))
    : Boolean(value) && isDeepStrictEqual(value, original)

/** Lists the longest entries that the owner can edit, with their lengths, such as “Reviews: Review 8 (900)”. */
export const listLongest = (draft: Draft, most: number): string[] =>
  editableEntries
    .flatMap(({ path }) => listTexts(readEntry(draft, path), path))
    .toSorted((a, b) => b.text.length - a.text.length)
    .slice(0, most)
    .map(({ path, text }) => {
      const { section = path, label = path } = findLabel(path) ?? {}
      const [, at] = path.match(/\.(\d+)\b/) ?? []
      const item = at === undefined ? '' : ` ${Number(at) + 1}`
      return `${joinLabels(section, label)}${item} (${text.length})`
    })

function explainMistake(path: string, problem: string): Mistake {
  const { section = path, label = path } = findLabel(path) ?? {}
  return { path, message: `${joinLabels(section, label)} ${problem}` }
}

// More mistakes than anyone fixes at one time.
const maxMistakes = 50

/** Lists mistakes and probable mistakes, with messages for the owner. */
export function checkDraft(content: unknown, now: number) {
  const { issues, typed, output } = v.safeParse(contentSchema, content, checkOptions)
  const mistakes = (issues ?? []).slice(0, maxMistakes).map((issue): Mistake => {
    const path = v.getDotPath(issue) ?? ''
    const isSpan = /^hours\.open\.\w+\.\d+$/.test(path)
    return explainMistake(path, isSpan ? explainSpan(issue.input) : issue.message)
  })
  if (!typed) return { mistakes, warnings: [] }
  const filled = fillIn(output)
  const found = [...findContentWarnings(filled, now)]
  return { mistakes, warnings: found.flatMap((warning) => explainWarning(warning, filled)) }
}

/** Checks a stored draft. `stored` is undefined if its text is damaged. */
function checkStored(stored: object | undefined, file: Content, now: number) {
  const misfit = stored ? findMisfit(stored) : damaged
  if (misfit) return { mistakes: [misfit], warnings: [] }
  return checkDraft(mergeDraft(stored, file), now)
}
const damaged: Mistake = { path: '', message: 'The stored text is damaged.' }

type Stored = { number: number; content: object | undefined }

/** Finds the newest version that follows the rules, and explains what is wrong with newer ones. */
export async function findValid<Version extends Stored>(
  newestFirst: AsyncIterable<Version> | Iterable<Version>,
  file: Content,
  now: number,
): Promise<{ version?: Version; fault: string | undefined }> {
  const faults: string[] = []
  const explain = () => faults.join(' ') || undefined
  for await (const version of newestFirst) {
    const { mistakes } = checkStored(version.content, file, now)
    if (mistakes.length === 0) return { version, fault: explain() }
    const messages = mistakes.map(({ message }) => message)
    faults.push(`Version ${version.number}: ${messages.join(' ')}`)
  }
  return { fault: explain() }
}

const askToAdd = 'If you take emergencies, ask the person who set up this site to add this choice.'

function explainWarning({ id, text, next, paths }: ContentWarning, content: object): Warning[] {
  if (id === 'wording-beyond-hours') {
    const found = paths.map((path) => ({ path, place: findLabel(path) }))
    // Quote the other entries, which have no label because the desk cannot change them.
    const others = found.flatMap(({ path, place }) =>
      place ? [] : [`“${cut(String(readEntry(content, path)), 60)}”`],
    )
    const inFile = `This wording in search results, shared links, or elsewhere may promise too much, because you’re not always open. Ask the person who set up this site to change it: ${others.join(' ')}`
    return [
      ...found.flatMap(({ path, place }) => {
        if (!place) return []
        const message = `Check “${place.label}” under ${place.section}: it may promise too much, because you’re not always open.`
        return [{ path, message }]
      }),
      ...(others.length > 0 ? [{ message: inFile }] : []),
    ]
  }
  const message = `${text} ${id === 'no-emergencies' ? askToAdd : `${next}.`}`
  return paths.length === 0 ? [{ message }] : paths.map((path) => ({ path, message }))
}

/**
 * Removes nulls, which stand for optional entries that the owner has left out. Also removes properties such as
 * toString, because an object that redefines them cannot be converted to a string.
 */
const clean = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (name, inner) =>
    name in {} ? undefined : (inner ?? undefined),
  )

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).trimEnd()}…` : text
