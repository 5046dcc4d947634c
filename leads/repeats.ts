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

/** Returns what the database stores to find requests with the same phone number or email. */
export const makeContactKeys = ({ phone, email }: Pick<Lead, 'phone' | 'email'>) => ({
  phone_key: readPhoneDigits(readPhone(phone).callUrl ?? '') || null,
  email_key: email ? normalizeEmail(email) : null,
})

export type Request = Lead & { id: string; receivedAt: number; suspect: string | null }

/** Removes punctuation, too, because people abbreviate addresses in many ways. */
const reduce = (text: string) =>
  foldText(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/**
 * Returns true for two requests with the same phone number or email and the same name or address. If the
 * crew wrote down neither name nor address during a phone call, the number or email is enough.
 */
export function isSameHomeowner(a: Request, b: Request): boolean {
  if (a.id === b.id || a.suspect !== null || b.suspect !== null) return false
  if (Math.abs(a.receivedAt - b.receivedAt) > repeatMs) return false
  const [one, other] = [makeContactKeys(a), makeContactKeys(b)]
  const isSame = (first: string | null, second: string | null) => !!first && first === second
  return (
    (isSame(one.phone_key, other.phone_key) || isSame(one.email_key, other.email_key)) &&
    (isAnonymous(a) ||
      isAnonymous(b) ||
      isSame(reduce(a.name), reduce(b.name)) ||
      isSame(reduce(a.address), reduce(b.address)))
  )
}

const isAnonymous = ({ name, address }: Request) => !reduce(name) && !reduce(address)
