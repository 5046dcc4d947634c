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
  shortFact,
  text,
  textWith,
} from './rules.ts'

/*
 * Rules for site/content.ts, and for what the owner types on the desk. Each message continues a sentence that starts
 * with the entry's name: "company.since must be …".
 */

const phone = mustMatch(
  /^(\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]*[2-9]\d{2}[ .-]*\d{4}$/,
  (input) => `must be a US phone number, such as '(612) 234-7810'. ${explainPhone(input)}`,
  25,
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
const sample = v.exactOptional(
  v.literal(true, 'must be `true`. If this isn’t a sample, delete the line.'),
)
// A longer list breaks the layout on phones.
const maxAreasLength = 300
const areasServed = v.pipe(
  listOf(shortFact(40)),
  v.minLength(1, 'is empty. Add a town.'),
  v.check(
    (areas) => measure(areas) <= maxAreasLength,
    ({ input }) => `has ${measure(input)} characters in all. Use at most ${maxAreasLength}.`,
  ),
)
const measure = (areas: readonly string[]) => areas.join(', ').length
const lines = <const Names extends string[]>(...names: Names) =>
  group(v.entriesFromList(names, line))
const texts = <const Names extends string[]>(...names: Names) =>
  group(v.entriesFromList(names, text))
const withTime = textWith('time')

const headTexts = {
  title: text,
  description: text,
  shareLines: v.pipe(
    listOf(line),
    v.maxLength(3, 'can have at most three lines. Delete the others.'),
  ),
}

const review = group({
  name: line,
  text,
  ...v.entriesFromList(['job', 'town', 'month', 'source'], v.exactOptional(line)),
  sample,
})

/** The sections below the first screen, in the order of the page. Each key is also the ID of the section's heading. */
const sections = {
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
    limitedHours: group({ notUrgent: optionalText }),
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
}

export type SectionName = keyof typeof sections
export const sectionNames = Object.keys(sections) as SectionName[]

export const contentSchema = group({
  company: group({
    sample,
    name: shortFact(60),
    phone,
    since: year,
    region: mustMatch(/^[A-Z]{2}$/, () => "must be a country code, such as 'US'."),
    areaLabel: fact,
    areaServed: areasServed,
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
    ...headTexts,
    ...v.entriesFromList(['notFoundTitle', 'pictureAlt'], text),
    limitedHours: group(headTexts),
  }),
  header: group({
    ...v.entriesFromList(['callLabel', 'estimate', 'estimateShort', 'skipLink'], line),
    limitedHours: group({ anytime: line, open: withTime, closed: withTime, emergency: line }),
  }),
  hero: group({
    sample,
    headline: line,
    reviews: textWith('count'),
    trust: v.exactOptional(line),
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
      ...v.entriesFromList(['failed', 'failedPlain', 'incompletePlain'], text),
      ...v.entriesFromList(['slow', 'offline', 'waiting'], text),
      refusedPlain: textWith('field'),
    }),
    received: group({
      heading: line,
      callBy: withTime,
      ...v.entriesFromList(['callSoon', 'callAfterOpening', 'next'], text),
    }),
    closed: group({
      ...v.entriesFromList(['heading', 'toast'], withTime),
      ...v.entriesFromList(['headingAnytime', 'emergency'], text),
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
  ...sections,
  footer: group({
    ...v.entriesFromList(['tagline', 'quickLinks', 'estimate', 'callHeading', 'rights'], line),
    alwaysOpen: line,
    /** The footer has no link to a section that is not listed here. */
    links: group(v.entriesFromList(sectionNames, v.exactOptional(line))),
  }),
  notFound: lines('heading', 'text', 'home'),
})

export type Content = v.InferOutput<typeof contentSchema>

/**
 * Stop checking an entry at its first error, because later rules rely on earlier ones. For example, the last rule for
 * hours needs a valid time zone.
 */
export const checkOptions = { abortPipeEarly: true } as const
