import * as v from 'valibot'
import { type Field, fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'
import type { LeadState } from './lead-state.ts'
import { keepVisible, makeSafe, makeSafeLines } from './safe-text.ts'

// Replace or remove unsafe characters instead of rejecting the lead. Text without a visible character
// counts as empty.
const cleanWith = (makeSafe: (text: string) => string) => (text: string) => {
  const safe = makeSafe(text).trim()
  return keepVisible(safe) && safe
}
const cleanLine = cleanWith(makeSafe)

export const readDigits = (phone: string) => phone.normalize('NFKC').replace(/\D/g, '')

/** Returns ten digits for a US number, with or without the country code. */
export const readPhoneDigits = (phone: string) => readDigits(phone).replace(/^1(?=\d{10}$)/, '')

const extension = String.raw`[xX#]\D*\d{1,6}\D*`
const sameDigits = String.raw`\D*(1\D*)?(\d)(\D*\2){9}\D*([xX#]|$)`
const foreignNumber = String.raw`\+\D*(\d\D*){8,15}`
const usNumber = String.raw`(1\D*)?(\d\D*){10}`

/**
 * Matches a phone number with its area code or, after a +, its country code, with any punctuation and possibly an
 * extension such as x12. The form uses it in the input's pattern, which cannot have flags.
 */
export const phonePattern = `(?!${sameDigits})[^\\d+]*(${foreignNumber}|${usNumber})(${extension})?`
const phoneRegExp = new RegExp(`^${phonePattern}$`)

type Check = { isValid: (text: string) => boolean; message: string }

const checks: Partial<Record<LeadField, Check>> = {
  email: {
    // Deliberately loose: only the mail server can tell whether an address exists.
    isValid: (email) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email),
    message: 'Please check your email address. It should look like name@example.com.',
  },
  phone: {
    isValid: (phone) => phoneRegExp.test(phone.normalize('NFKC')),
    message: 'Please check your phone number, including the area code.',
  },
}

export function createSchema(field: Field, check?: Check) {
  const { noun, required, choices } = field
  const { isValid = () => true, message = '' } = check ?? {}
  const missing = `Please enter your ${noun}.`
  const cleanField = field.multiline ? cleanWith(makeSafeLines) : cleanLine
  const text = v.pipe(v.string(missing), v.transform(cleanField))
  const schema = choices
    ? v.pipe(
        text,
        v.check(
          (value) => (value === '' && !required) || Object.hasOwn(choices, value),
          `Please choose a ${noun} from the list.`,
        ),
      )
    : v.pipe(
        text,
        v.check((value) => value !== '' || !required, missing),
        v.maxLength(
          field.maxLength,
          `Please shorten your ${noun} to ${field.maxLength} characters.`,
        ),
        // Check only the allowed length, because a pattern can take a long time on longer text.
        v.check((value) => value === '' || isValid(value.slice(0, field.maxLength)), message),
      )
  return v.optional(schema, '')
}

/** Ignores unknown fields, because during a deploy a new page may call an old server. */
export const createLeadSchema = (adapt = (field: Field) => field) =>
  v.object(
    Object.fromEntries(
      fieldNames.map((name) => [name, createSchema(adapt(leadFields[name]), checks[name])]),
    ) as unknown as {
      [Name in LeadField]: v.GenericSchema<string | undefined, Lead[Name]>
    },
  )

export const leadSchema = createLeadSchema()

/**
 * The page sends consent, source, and spam signals in this optional header, because the body has only
 * the form's fields. A plain form post sends them as extra fields.
 */
export const visitHeader = 'x-lead-visit'

/**
 * The server responds with the time by which the company calls, because the hours may have changed after the page
 * loaded.
 */
export const callByHeader = 'X-Call-By'

/** A honeypot: people do not see this field, but bots fill it in. */
export const trapField = 'reference'

/** The consent, the source, and whether the visit looks like spam. */
export type Visit = {
  consent: string | null
  suspect: 'trap' | 'too-fast' | null
  /** See source.ts. Empty if the page found no source; null if the page sent none. */
  source: string | null
}

// Even with autofill, people take longer than this from opening the page to submitting.
const minElapsedMs = 1_000

/** Marks suspected spam instead of rejecting it, because it may be a real lead. */
export function readVisit(visit: { get(name: string): unknown }): Visit {
  const consent = visit.get('consent')
  const elapsedMs = visit.get('elapsedMs')
  const isTooFast =
    typeof elapsedMs === 'string' && /^\d+$/.test(elapsedMs) && +elapsedMs < minElapsedMs
  return {
    consent: typeof consent === 'string' ? cleanLine(consent).slice(0, 40) || null : null,
    suspect: visit.get(trapField) ? 'trap' : isTooFast ? 'too-fast' : null,
    source: readSource(visit.get('source')),
  }
}

const sourceParameters = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'click',
  'referrer',
]

/** Keeps only known parameters, for privacy, and shortens and cleans them. */
export function readSource(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null
  const given = new URLSearchParams(text)
  const source = new URLSearchParams()
  for (const name of sourceParameters) {
    const value = cleanLine(given.get(name) ?? '').slice(0, 100)
    // Some mailing tools put the recipient's email address into links, even encoded twice. A referrer must be a host,
    // because a URL can contain personal data.
    const isKept = name === 'referrer' ? /^[\w.:-]+$/.test(value) : !/@|%(25)*40/.test(value)
    if (value && isKept) source.set(name, value)
  }
  return source.toString()
}

/**
 * Formats a US number as it is typed, as phones do: 555-1234, then (555) 123-4567. Foreign numbers, extensions, and
 * words stay unchanged.
 */
export function formatPhone(phone: string) {
  if (!/^\+?[\d\s().-]*$/.test(phone)) return phone
  let digits = phone.replace(/\D/g, '')
  if (/^1\d{10}$/.test(digits)) digits = digits.slice(1)
  // No US area code starts with 0 or 1, so this is a country code or a foreign number.
  else if (phone.startsWith('+') || /^[01]/.test(digits)) return phone
  if (digits.length < 4 || digits.length > 10) return phone
  if (digits.length < 8) return `${digits.slice(0, 3)}-${digits.slice(3)}`
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`
}

/** Lowercases, then capitalizes each word. The length stays the same. */
export const formatName = (name: string) =>
  [...name]
    .map((letter, at, all) => {
      const isFirst = at === 0 || all[at - 1] === ' '
      return keepLength(letter, isFirst ? letter.toUpperCase() : letter.toLowerCase())
    })
    .join('')

// Some letters get longer when their case changes (ß becomes SS). Leave them as typed so that the caret does not move.
const keepLength = (before: string, after: string) =>
  after.length === before.length ? after : before

/** The fields of a lead, with any corrections, and its state. */
export type StoredLead = Lead &
  LeadState & {
    id: string
    receivedAt: number
    /** When the time for the promised call starts, and when the call is due; null for suspected spam. */
    promiseStartAt: number | null
    deadlineAt: number | null
    /** Why it is suspected spam; null if it is not. */
    suspect: string | null
    /** 1 if the lead is part of a burst from one network. See store/limits.ts. */
    inBurst: number
    /** The version of the consent line the visitor saw. */
    consent: string | null
    /** See source.ts. */
    source: string | null
  }
