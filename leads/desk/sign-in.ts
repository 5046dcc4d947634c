import { createHash, randomBytes } from 'node:crypto'
import {
  consumeLink,
  findSession,
  type Session,
  saveLink,
  saveSession,
} from '../store/desk-access.ts'
import type { Database } from '../store/tables.ts'

const linkMs = 15 * 60_000
const limits = { mostPerEmail: 3, mostPerClient: 10 }
const tokenPattern = /^[\w-]{43}$/

/** Only hashes are stored, so a copy of the database lets nobody sign in. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex')
const makeToken = () => randomBytes(32).toString('base64url')

/** For a person who can run commands on the server; it needs no mail and has no limit. */
export async function makeLink(
  db: Database,
  { url, allowedEmails, now }: { url: string; allowedEmails: readonly string[]; now: number },
): Promise<string> {
  const token = makeToken()
  const email = allowedEmails[0] ?? 'owner'
  const link = { tokenHash: hash(token), email, clientAddress: '', isValid: true }
  await saveLink(
    db,
    { ...link, expiresAt: now + linkMs },
    { now, mostPerEmail: Number.POSITIVE_INFINITY, mostPerClient: Number.POSITIVE_INFINITY },
  )
  return formatLink(url, token)
}

// The token is in the hash, so it reaches no server log and a mail scanner cannot redeem it.
const formatLink = (url: string, token: string) => `${url}/#enter=${token}`

/** Undefined if this address may not sign in. Takes equally long in both cases. */
export async function requestLink(
  db: Database,
  {
    email,
    clientAddress,
    allowedEmails,
    url,
    now,
  }: {
    email: string
    clientAddress: string
    allowedEmails: readonly string[]
    url: string
    now: number
  },
): Promise<string | undefined> {
  const token = makeToken()
  const isValid = allowedEmails.includes(email)
  const isSaved = await saveLink(
    db,
    { tokenHash: hash(token), email, clientAddress, isValid, expiresAt: now + linkMs },
    { now, ...limits },
  )
  return isValid && isSaved ? formatLink(url, token) : undefined
}

/** Undefined if the link is forged, used, or expired. */
export async function redeemLink(
  db: Database,
  { token, device, now }: { token: string; device: string; now: number },
): Promise<{ sessionToken: string; session: Session } | undefined> {
  if (!tokenPattern.test(token)) return undefined
  const email = await consumeLink(db, hash(token), now)
  if (email === undefined) return undefined
  const sessionToken = makeToken()
  const session: Session = {
    id: crypto.randomUUID(),
    email,
    person: guessName(email),
    device,
    createdAt: now,
    seenAt: now,
  }
  await saveSession(db, session, hash(sessionToken))
  return { sessionToken, session }
}

export async function readSession(
  db: Database,
  sessionToken: string | undefined,
  now: number,
): Promise<Session | undefined> {
  if (!sessionToken || !tokenPattern.test(sessionToken)) return undefined
  return findSession(db, hash(sessionToken), now)
}

/** Turns sam.hill@example.com into Sam Hill. */
const guessName = (email: string) =>
  (email.split('@')[0] ?? '')
    .split(/[._+-]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ') || 'Somebody'

/** Such as "Chrome on Android". */
export function describeDevice(userAgent: string): string {
  const browser =
    [
      ['Edge', /\bEdg/],
      ['Samsung Internet', /SamsungBrowser/],
      ['Firefox', /Firefox|FxiOS/],
      ['Chrome', /Chrome|CriOS/],
      ['Safari', /Safari/],
    ].find(([, pattern]) => (pattern as RegExp).test(userAgent))?.[0] ?? 'A browser'
  const system =
    [
      ['iPhone', /iPhone/],
      ['iPad', /iPad/],
      ['Android', /Android/],
      ['Windows', /Windows/],
      ['Mac', /Macintosh/],
      ['Linux', /Linux/],
    ].find(([, pattern]) => (pattern as RegExp).test(userAgent))?.[0] ?? 'an unknown device'
  return `${browser} on ${system}`
}
