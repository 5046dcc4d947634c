import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { type Content, checkOptions, contentSchema } from './content-schema.ts'
import { type ContentWarning, findContentWarnings } from './content-warnings.ts'
import {
  type EditorSection,
  editablePaths,
  editorSections,
  findLabel,
  joinLabels,
} from './editor.ts'
import { explainSpan } from './hours-rules.ts'
import { fillIn } from './placeholders.ts'

/**
 * The entries that the owner can edit on the desk, in the same tree as the content. An optional entry that
 * the owner has left out is null. An entry that is missing comes from site/content.ts.
 */
export type Draft = object

export type Mistake = { path: string; message: string }
export type Warning = { path?: string; message: string }

export function pickEditable(content: Content): Draft {
  const draft = {}
  for (const path of editablePaths) write(draft, path, read(content, path) ?? null)
  return draft
}

/** Adds what is only in site/content.ts, or new there. The result is not checked. */
export function complete(draft: unknown, file: Content): unknown {
  const whole = JSON.parse(JSON.stringify(file))
  for (const path of editablePaths) {
    const value = read(draft, path)
    if (value !== undefined) write(whole, path, clean(value))
  }
  for (const section of editorSections)
    if (section.sample && listUnchanged(section, whole, file).length === 0)
      write(whole, section.sample, undefined)
  return whole
}

/** Lists the entries that are still made up, such as company.phone and testimonials.reviews.0. */
export const listSamples = (content: unknown, file: Content): string[] =>
  editorSections.flatMap((section) => [
    ...listUnchanged(section, content, file),
    ...section.fields.flatMap(({ path, kind, isMarked }) => {
      const value = read(content, path)
      if (!isMarked) return []
      if (kind !== 'list') return read(value, 'sample') === true ? [path] : []
      const items = Object.entries(Object(value))
      return items.flatMap(([at, item]) => (read(item, 'sample') === true ? [`${path}.${at}`] : []))
    }),
  ])

/** A section's mark applies to the fields that have no mark and are still as in the file. */
function listUnchanged({ sample, fields }: EditorSection, content: unknown, file: Content) {
  if (!sample || read(content, sample) !== true) return []
  return fields.flatMap(({ path, isMarked }) =>
    !isMarked && isUnchanged(read(content, path), read(file, path)) ? [path] : [],
  )
}

/** A list is unchanged while one of its items is. */
const isUnchanged = (value: unknown, original: unknown): boolean =>
  Array.isArray(value) && Array.isArray(original)
    ? value.some((item) => original.some((other) => isDeepStrictEqual(item, other)))
    : Boolean(value) && isDeepStrictEqual(value, original)

/** Lists mistakes and probable mistakes, with messages for the owner. */
export function check(content: unknown, now: number) {
  const { issues, typed, output } = v.safeParse(contentSchema, content, checkOptions)
  const mistakes = (issues ?? []).map((issue): Mistake => {
    const path = v.getDotPath(issue) ?? ''
    const isSpan = /^hours\.open\.\w+\.\d+$/.test(path)
    const problem = isSpan ? explainSpan(issue.input) : issue.message
    const { section = path, label = path } = findLabel(path) ?? {}
    return { path, message: `${joinLabels(section, label)} ${problem}` }
  })
  if (!typed) return { mistakes, warnings: [] }
  const filled = fillIn(output)
  const found = [...findContentWarnings(filled, now)]
  return { mistakes, warnings: found.flatMap((warning) => explainWarning(warning, filled)) }
}

const askToAdd = 'If you take emergencies, ask the person who set up this site to add this choice.'

function explainWarning({ id, text, next, paths }: ContentWarning, content: object): Warning[] {
  if (id === 'texts-beyond-hours') {
    const found = paths.map((path) => ({ path, place: findLabel(path) }))
    // The desk cannot change these, so they have no label.
    const others = found.flatMap(({ path, place }) =>
      place ? [] : [`“${cut(String(read(content, path)), 60)}”`],
    )
    const inFile = `These texts in search results, shared links, or elsewhere may promise too much, because you’re not always open. Ask the person who set up this site to change them: ${others.join(' ')}`
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
 * Removes nulls, because optional entries of a list's items may be null, too, and names such as toString, with
 * which a group cannot be turned into text.
 */
const clean = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (name, inner) =>
    name in {} ? undefined : (inner ?? undefined),
  )

export const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).trimEnd()}…` : text

export const read = (tree: unknown, path: string): unknown =>
  path.split('.').reduce((inner, name) => Object(inner)[name], tree)

/** Deletes the entry if the value is undefined. */
function write(tree: object, path: string, value: unknown) {
  const names = path.split('.')
  const last = names.pop() as string
  let inner = tree as Record<string, object>
  for (const name of names) {
    inner[name] ??= {}
    inner = inner[name] as typeof inner
  }
  if (value === undefined) delete inner[last]
  else inner[last] = value as object
}
