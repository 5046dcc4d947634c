import * as v from 'valibot'
import { commonPlaceholders, listPlaceholders } from './placeholders.ts'

/* Valibot rules whose messages explain the fix. Each continues a sentence that starts with the entry's name. */

const list = (words: readonly string[], type: Intl.ListFormatType) =>
  new Intl.ListFormat('en', { type }).format(words)

/** Rejects unknown entries to catch misspelled names. */
export const group = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected }) => {
    if (expected === 'Object') return 'must be a group of entries between { and }.'
    if (expected !== 'never') return 'is missing. Add it, or correct its spelling.'
    return `is unknown. Correct its spelling, or delete it. Known entries: ${list(Object.keys(entries), 'conjunction')}.`
  })

const anyText = v.string("must be text in quotes, such as '…'.")

/** Rejects control characters and unpaired surrogates, which show as nothing or as a box, but allows \n and \t. */
const isPrintable = (input: string) => !/[^\P{Cc}\n\t]|\p{Cs}/u.test(input)

const limitLength = (max: number) =>
  v.maxLength<string, number, (issue: { input: string }) => string>(
    max,
    ({ input }) =>
      `has ${input.length.toLocaleString('en')} characters. Use at most ${max.toLocaleString('en')}.`,
  )

/** A text that must contain the `required` placeholders and may contain the common ones. May be empty without any. */
function writing(maxLength: number, required: readonly string[], common: readonly string[]) {
  const known = [...required, ...common].map((name) => `{${name}}`)
  const hint = known.length === 0 ? 'Delete it.' : `You can use ${list(known, 'conjunction')} here.`
  const explain = (input: string) => {
    const used = listPlaceholders(input)
    const unknown = used.find((placeholder) => !known.includes(placeholder))
    if (unknown) return `has the unknown placeholder ${unknown}. ${hint}`
    const missing = known
      .slice(0, required.length)
      .find((placeholder) => !used.includes(placeholder))
    return missing && `must contain ${missing}.`
  }
  return v.pipe(
    anyText,
    limitLength(maxLength),
    v.check(isPrintable, 'has an invisible character. Delete the text, and type it again.'),
    v.check(
      (input) => explain(input) === undefined,
      ({ input }) => explain(input) ?? '',
    ),
  )
}

const isFilled = v.check<string, string>(
  // U+2800 is a blank Braille cell, which \s does not match.
  (input) => /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(input),
  'is empty. Fill it in.',
)

const lineLength = 150
const textLength = 1_000

/** A heading, a label, or a name. */
export const line = v.pipe(writing(lineLength, [], commonPlaceholders), isFilled)
/** One or more sentences. */
export const text = v.pipe(writing(textLength, [], commonPlaceholders), isFilled)
export const optionalText = writing(textLength, [], commonPlaceholders)
export const shortFact = (maxLength: number) => v.pipe(writing(maxLength, [], []), isFilled)
/** A line without placeholders, such as a fact about the company. */
export const fact = shortFact(lineLength)
/** A text with a required placeholder, which is filled in when the text is shown. */
export const textWith = (placeholder: 'time' | 'count' | 'address' | 'field') =>
  writing(textLength, [placeholder], commonPlaceholders)

export const mustMatch = (
  pattern: RegExp,
  explain: (input: string) => string,
  maxLength = textLength,
) =>
  v.pipe(
    anyText,
    limitLength(maxLength),
    isFilled,
    v.regex(pattern, ({ input }) => `is '${input}', but ${explain(input)}`),
  )
export const choice = <const Names extends readonly string[]>(...names: Names) =>
  v.picklist(names, ({ input }) => {
    const quoted = names.map((name) => `'${name}'`)
    return `is '${input}', but must be ${list(quoted, 'disjunction')}.`
  })

// Far more entries than a page needs, but few enough to check and render without delaying visitors.
export const maxEntries = 100

const explainList = 'must be a list between [ and ].'

/** Checks the list's length first, so that the items of a list that is too long are not checked. */
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(
    v.array(v.unknown(), explainList),
    v.maxLength(maxEntries, ({ input }) => explainTooMany(input.length)),
    v.array(item, explainList),
  )

export const explainTooMany = (count: number) =>
  `can have at most ${maxEntries} entries. This list has ${count.toLocaleString('en')}.`
