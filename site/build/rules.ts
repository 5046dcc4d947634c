import * as v from 'valibot'

/* Valibot rules whose messages name the fix. Each continues a sentence that starts with the entry's name. */

const list = (words: readonly string[], type: Intl.ListFormatType) =>
  new Intl.ListFormat('en', { type }).format(words)

/** Rejects unknown entries, so that a misspelled one is reported. */
export const group = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected }) => {
    if (expected === 'Object') return 'must be a group of entries between { and }.'
    if (expected !== 'never') return 'is missing. Add it, or correct its spelling.'
    return `is unknown. Correct its spelling, or delete it. Known entries: ${list(Object.keys(entries), 'conjunction')}.`
  })

export const anyText = v.string("must be text in quotes, such as '…'.")
export const text = v.pipe(anyText, v.nonEmpty('is empty. Write its text between the quotes.'))
export const mustMatch = (pattern: RegExp, explain: (input: string) => string) =>
  v.pipe(
    anyText,
    v.regex(pattern, ({ input }) => `is '${input}', but ${explain(input)}`),
  )
export const choice = <const Names extends readonly string[]>(...names: Names) =>
  v.picklist(names, ({ input }) => {
    const quoted = names.map((name) => `'${name}'`)
    return `is '${input}', but must be ${list(quoted, 'disjunction')}.`
  })
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  v.array(item, 'must be a list between [ and ].')
export const wording = <Words extends (input: never) => string>() =>
  v.custom<Words>((input) => typeof input === 'function', 'must be a function that returns text.')
