import * as v from 'valibot'
import { fieldNames } from '#leads/fields.ts'
import { hoursRules } from './hours-rules.ts'
import {
  choice,
  fact,
  group,
  line,
  listOf,
  mustMatch,
  optionalText,
  text,
  textWith,
} from './rules.ts'

/*
 * Rules for the page's content: for site/content.ts in a build, and for what the owner types on the desk.
 * Each message continues a sentence that starts with the entry's name: "company.since must be …".
 */

const phone = mustMatch(
  /^(\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]*[2-9]\d{2}[ .-]*\d{4}$/,
  (input) => `must be a US phone number, such as '(612) 234-7810'. ${explainPhone(input)}`,
)
function explainPhone(input: string): string {
  const digits = input.replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '')
  if (digits.length !== 10) return `Use ten digits. This number has ${digits.length}.`
  if (/^[01]|^...[01]/.test(digits)) return 'The first and fourth digits cannot be 0 or 1.'
  return 'Use only digits, spaces, parentheses, dots, and hyphens.'
}
const url = mustMatch(
  /^https:\/\/[\w-]+(\.[\w-]+)+([/?#]\S*)?$/,
  () => 'must be a link that starts with https://.',
)
const year = v.pipe(
  v.number('must be a year without quotes, such as 1998.'),
  v.integer('must be a year, such as 1998.'),
)
const sample = v.exactOptional(v.literal(true, 'must be true. Otherwise, delete it.'))
const lines = <const Names extends string[]>(...names: Names) =>
  group(v.entriesFromList(names, line))
const texts = <const Names extends string[]>(...names: Names) =>
  group(v.entriesFromList(names, text))
const withTime = textWith('time')

const review = group({
  name: line,
  text,
  ...v.entriesFromList(['job', 'town', 'month', 'source'], v.exactOptional(line)),
  sample,
})

export const contentSchema = group({
  company: group({
    sample,
    name: v.pipe(fact, v.maxLength(60, 'is longer than 60 characters. Shorten it.')),
    phone,
    since: year,
    region: mustMatch(/^[A-Z]{2}$/, () => "must be a country code, such as 'US'."),
    areaLabel: fact,
    areaServed: v.pipe(listOf(fact), v.minLength(1, 'is empty. Add a town.')),
    address: v.exactOptional(
      group({
        street: fact,
        city: fact,
        state: mustMatch(/^[A-Z]{2}$/, () => "must be two capital letters, such as 'MN'."),
        zip: mustMatch(/^\d{5}(-\d{4})?$/, () => "must be a ZIP code, such as '55401'."),
      }),
    ),
    license: v.exactOptional(fact),
    email: v.exactOptional(
      v.pipe(
        fact,
        v.email(({ input }) => `is '${input}', but must be an email address.`),
      ),
    ),
    social: v.exactOptional(listOf(group({ name: fact, url }))),
  }),
  hours: hoursRules,
  head: group({
    title: text,
    description: text,
    notFoundTitle: text,
    pictureAlt: text,
    shareLines: v.pipe(
      listOf(line),
      v.maxLength(3, 'can have at most three lines. Delete the others.'),
    ),
  }),
  header: group({
    ...v.entriesFromList(['callLabel', 'estimate', 'estimateShort', 'skipLink'], line),
    limitedHours: group({ anytime: line, open: withTime, closed: withTime, emergency: line }),
  }),
  hero: group({
    sample,
    headline: line,
    lead: text,
    statistics: listOf(group({ value: line, label: line })),
  }),
  form: group({
    heading: line,
    labels: lines(...fieldNames),
    optional: line,
    placeholders: lines(...fieldNames),
    suggestions: group({
      ...v.entriesFromList(['label', 'none', 'one', 'source'], line),
      several: textWith('count'),
      chosen: textWith('address'),
    }),
    submit: line,
    submitting: line,
    noObligation: text,
    toasts: texts('incomplete', 'failed', 'received'),
    notes: group({
      ...v.entriesFromList(['failed', 'failedPlain', 'incompletePlain', 'received'], text),
      ...v.entriesFromList(['questions', 'slow', 'offline', 'waiting'], text),
      refusedPlain: textWith('field'),
      callBy: withTime,
    }),
    closed: group({
      ...v.entriesFromList(['heading', 'toast', 'note'], withTime),
      ...v.entriesFromList(['headingAnytime', 'noteAnytime', 'emergency'], text),
    }),
    emailHint: line,
    phoneRule: line,
    trapLabel: line,
    consent: group({
      version: fact,
      text,
      privacyPolicy: v.exactOptional(group({ label: line, url })),
    }),
  }),
  about: group({
    sample,
    heading: line,
    text,
    points: listOf(group({ sample, icon: choice('home', 'shield', 'check'), title: line, text })),
    pictureAlt: text,
    award: v.exactOptional(group({ title: line, by: line, year: line, sample })),
  }),
  emergency: group({
    sample,
    heading: line,
    text,
    claim: optionalText,
    notUrgent: optionalText,
    callLabel: line,
  }),
  services: group({
    sample,
    heading: line,
    cards: v.pipe(
      listOf(
        group({
          icon: choice('roof', 'hammer', 'inspect'),
          picture: v.exactOptional(
            mustMatch(/^[a-z0-9-]+$/, () => "must be a name such as 'repairs'."),
          ),
          title: line,
          text,
        }),
      ),
      v.minLength(3, 'must have at least three entries. Add more.'),
    ),
  }),
  testimonials: group({
    ...v.entriesFromList(['heading', 'pauseLabel', 'playLabel', 'rowLabel', 'ratingLabel'], line),
    allReviews: v.exactOptional(group({ label: line, url })),
    reviews: listOf(review),
  }),
  footer: lines('tagline', 'quickLinks', 'estimate', 'callHeading', 'rights'),
  notFound: lines('heading', 'text', 'home'),
})

export type Content = v.InferOutput<typeof contentSchema>

/** Later rules may rely on earlier ones, such as hours on a valid time zone. */
export const checkOptions = { abortPipeEarly: true } as const
