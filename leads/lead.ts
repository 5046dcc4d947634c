import * as v from 'valibot'
import { type Field, fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'
import { keepVisible, makeSafe } from './safe-text.ts'

// Unsafe characters are replaced or removed rather than refused, so that no lead is lost to them. A
// text without a visible character is empty.
const tidy = (text: string) => {
  const safe = makeSafe(text).trim()
  return keepVisible(safe) && safe
}

/** The digits of a phone number, however it was typed. */
export const readDigits = (phone: string) => phone.normalize('NFKC').replace(/\D/g, '')

/** Ten digits for a US number, with or without its country code. */
export const readPhoneDigits = (phone: string) => readDigits(phone).replace(/^1(?=\d{10}$)/, '')

type Check = { isValid: (text: string) => boolean; message: string }

const checks: Partial<Record<LeadField, Check>> = {
  email: {
    // Deliberately loose, because only a mail server can tell more.
    isValid: (email) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email),
    message: 'Please check your e-mail address: it should look like name@example.com.',
  },
  phone: {
    isValid: (phone) => readDigits(phone).length >= 7,
    message: 'Please check your phone number: it needs at least 7 digits.',
  },
}

function createSchema(name: LeadField) {
  const field: Field = leadFields[name]
  const { noun, required, choices } = field
  const { isValid = () => true, message = '' } = checks[name] ?? {}
  const missing = `Please enter your ${noun}.`
  const text = v.pipe(v.string(missing), v.transform(tidy))
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
        v.check((value) => value === '' || isValid(value), message),
      )
  return v.optional(schema, '')
}

/** Unknown fields are ignored: during a deploy, a new page may talk to an old server. */
export const leadSchema = v.object(
  Object.fromEntries(fieldNames.map((name) => [name, createSchema(name)])) as unknown as {
    [Name in LeadField]: v.GenericSchema<string | undefined, Lead[Name]>
  },
)

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
  /** When the promised call is due; null for suspected spam. */
  deadlineAt: number | null
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
