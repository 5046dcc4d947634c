/*
 * A homeowner may ask more than once: two forms, or a form and a phone call. Every request is a separate
 * lead. This file decides which requests are from the same homeowner.
 */

import { readPhone } from './field-outputs.ts'
import type { Lead } from './fields.ts'
import { readPhoneDigits } from './lead.ts'
import { foldText } from './safe-text.ts'

/** Requests that are further apart do not count as repeats. */
export const repeatMs = 7 * 24 * 3_600_000

/** One mailbox can have many addresses: some services ignore case, dots, and everything after a plus sign. */
export function normalizeEmail(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  return `${local.replace(/\+.*|\./g, '')}@${domain}`
}

/** Removes punctuation, too, because people abbreviate addresses in many ways. */
const reduce = (text: string) =>
  foldText(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Returns what the database stores to find other requests from the homeowner. Empty fields are null. */
export const makeHomeownerKeys = ({ phone, email, name, address }: Lead) => ({
  phone_key: readPhoneDigits(readPhone(phone)?.callUrl ?? '') || null,
  email_key: email ? normalizeEmail(email) : null,
  name_key: reduce(name) || null,
  address_key: reduce(address) || null,
})

export type Request = ReturnType<typeof makeHomeownerKeys> & {
  id: string
  receivedAt: number
  suspect: string | null
}

/**
 * Returns true for two requests with the same phone number or email and the same name or address. If the
 * crew wrote down neither name nor address during a phone call, the number or email is enough.
 */
export const isSameHomeowner = (a: Request, b: Request): boolean =>
  (isSame(a.phone_key, b.phone_key) || isSame(a.email_key, b.email_key)) &&
  (isSame(a.name_key, b.name_key) ||
    isSame(a.address_key, b.address_key) ||
    isAnonymous(a) ||
    isAnonymous(b)) &&
  a.id !== b.id &&
  a.suspect === null &&
  b.suspect === null &&
  Math.abs(a.receivedAt - b.receivedAt) <= repeatMs

const isSame = (a: string | null, b: string | null) => a !== null && a === b
const isAnonymous = ({ name_key, address_key }: Request) => !name_key && !address_key
