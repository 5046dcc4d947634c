import * as v from 'valibot'

/** What the homeowner can ask for: the value on the wire, and the label people read. */
export const serviceTypes = {
  'new-roof': 'New Roof Installation',
  'roof-repair': 'Roof Repair',
  'roof-replacement': 'Roof Replacement',
  'roof-inspection': 'Roof Inspection',
  emergency: 'Emergency Service',
  other: 'Other',
} as const

export type ServiceType = keyof typeof serviceTypes

// Control characters and halves of surrogate pairs cannot be stored everywhere (Postgres refuses
// NUL) and mean nothing to a person. A lead is worth more than its odd bytes, so they are replaced.
const tidy = (text: string) =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()

const required = (what: string, maxLength: number) =>
  v.pipe(
    v.string(`Please enter your ${what}.`),
    v.transform(tidy),
    v.nonEmpty(`Please enter your ${what}.`),
    v.maxLength(maxLength, `Please shorten your ${what} to ${maxLength} characters.`),
  )

// Deliberately loose: one @, something before it, a dot in what follows. Only a mail server knows more.
const plausibleEmail = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/

export const leadSchema = v.strictObject({
  name: required('name', 100),
  email: v.pipe(
    required('e-mail address', 254),
    v.regex(
      plausibleEmail,
      'Please check your e-mail address: it should look like name@example.com.',
    ),
  ),
  phone: v.pipe(
    required('phone number', 40),
    v.check(
      (phone) => (phone.match(/\p{Nd}/gu) ?? []).length >= 7,
      'Please check your phone number: it needs at least 7 digits.',
    ),
  ),
  address: required('address', 300),
  serviceType: v.optional(
    v.union(
      [v.literal(''), v.picklist(Object.keys(serviceTypes) as ServiceType[])],
      'Please choose a service from the list, or none.',
    ),
    '',
  ),
})

export type Lead = v.InferOutput<typeof leadSchema>
export type LeadField = keyof Lead

export const requiredFields = ['name', 'email', 'phone', 'address'] as const
export type RequiredField = (typeof requiredFields)[number]

/**
 * What the page knows beyond the five fields travels beside them, never among them: in this header,
 * or as further fields of a plain form post. A caller may leave it out.
 */
export const detailsHeader = 'x-lead-details'

/** A field that people do not see. Whatever fills it in is not a person. */
export const trapField = 'reference'

export type LeadDetails = {
  consent: string | null
  suspect: 'trap' | 'haste' | null
  /** Where the visitor came from (see source.ts). Empty: the page knew of nothing. Null: nobody said. */
  source: string | null
}

// From the opening of the page to the press. Autofill and a quick thumb take longer.
const hasteMs = 1_000

/** Never refuses: a robot's lead may be a person's after all, so it is only marked. */
export function readDetails(details: { get(name: string): unknown }): LeadDetails {
  const consent = details.get('consent')
  const elapsedMs = details.get('elapsedMs')
  const isHasty = typeof elapsedMs === 'string' && /^\d+$/.test(elapsedMs) && +elapsedMs < hasteMs
  return {
    consent: typeof consent === 'string' ? tidy(consent).slice(0, 40) || null : null,
    suspect: details.get(trapField) ? 'trap' : isHasty ? 'haste' : null,
    source: readSource(details.get('source')),
  }
}

const sourceParts = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'click',
  'referrer',
]

/** Keeps the parts we know, each short and clean. Anything else in the text is nobody's business. */
export function readSource(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null
  const said = new URLSearchParams(text)
  const source = new URLSearchParams()
  for (const part of sourceParts) {
    const value = tidy(said.get(part) ?? '').slice(0, 100)
    // Mailing tools can put the receiver's address into a link, some encoded twice; a referrer may
    // only be a host.
    const isKept = part === 'referrer' ? /^[\w.:-]+$/.test(value) : !/@|%(25)*40/.test(value)
    if (value && isKept) source.set(part, value)
  }
  return source.toString()
}

/** Lowercased, then each space-separated word capitalized. Never changes the length. */
export const formatName = (name: string) =>
  [...name]
    .map((letter, at, all) => {
      const isFirst = at === 0 || all[at - 1] === ' '
      return keepLength(letter, isFirst ? letter.toUpperCase() : letter.toLowerCase())
    })
    .join('')

// A few letters grow when their case changes (ß becomes SS, İ becomes two). They stay as typed, so
// that every offset in the field, the caret's too, means the same before and after.
const keepLength = (before: string, after: string) =>
  after.length === before.length ? after : before

/** Where staff said that they are calling; `outcome`: nobody did, but it was closed. */
export type AnswerSource = 'link' | 'airtable' | 'desk' | 'outcome'

/** What staff say became of it. */
export type LeadOutcome = 'done' | 'not-a-lead'

export type StoredLead = Lead & {
  id: string
  receivedAt: number
  /** Why it looks like a robot's; null when it does not. */
  suspect: string | null
  /** The version of the consent line the visitor saw. */
  consent: string | null
  /** Where the visitor came from: see source.ts. */
  source: string | null
  answeredAt: number | null
  answeredBy: AnswerSource | null
  /** Who is calling, where they said who they are. */
  answeredName: string | null
  outcome: LeadOutcome | null
}

/** Within this time a homeowner is promised a call. */
export const promiseMs = 10 * 60_000
