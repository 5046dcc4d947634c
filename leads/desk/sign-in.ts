import { createHash, randomBytes } from 'node:crypto'
import { findSession, type Session, saveLink, saveSession, takeLink } from '../store/desk-access.ts'
import type { Database } from '../store/tables.ts'

const linkMs = 15 * 60_000
const limits = { mostPerEmail: 3, mostPerClient: 10 }
const tokenPattern = /^[\w-]{43}$/

/** The database holds hashes only: a copy of it opens nothing. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex')
const makeToken = () => randomBytes(32).toString('base64url')

/** A link for whoever has the machine: nobody has to be asked. */
export async function makeLink(
  db: Database,
  { url, mayEnter, now }: { url: string; mayEnter: readonly string[]; now: number },
): Promise<string> {
  const token = makeToken()
  const email = mayEnter[0] ?? 'owner'
  const link = { tokenHash: hash(token), email, clientAddress: '', isValid: true }
  await saveLink(
    db,
    { ...link, expiresAt: now + linkMs },
    { now, mostPerEmail: Number.POSITIVE_INFINITY, mostPerClient: Number.POSITIVE_INFINITY },
  )
  return formatLink(url, token)
}

// Behind the #, where it reaches no server's log; and a mail scanner that opens it changes nothing.
const formatLink = (url: string, token: string) => `${url}/#enter=${token}`

/** The link to send, if this address may have one. What happens takes as long either way. */
export async function requestLink(
  db: Database,
  {
    email,
    clientAddress,
    mayEnter,
    url,
    now,
  }: {
    email: string
    clientAddress: string
    mayEnter: readonly string[]
    url: string
    now: number
  },
): Promise<string | undefined> {
  const token = makeToken()
  const isValid = mayEnter.includes(email)
  const isKept = await saveLink(
    db,
    { tokenHash: hash(token), email, clientAddress, isValid, expiresAt: now + linkMs },
    { now, ...limits },
  )
  return isValid && isKept ? formatLink(url, token) : undefined
}

/** Opens the desk for this browser; undefined: the link is forged, used or too old. */
export async function enter(
  db: Database,
  { token, device, now }: { token: string; device: string; now: number },
): Promise<{ sessionToken: string; session: Session } | undefined> {
  if (!tokenPattern.test(token)) return undefined
  const email = await takeLink(db, hash(token), now)
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

/** sam.hill@example.com is Sam Hill until they say otherwise. */
const guessName = (email: string) =>
  (email.split('@')[0] ?? '')
    .split(/[._+-]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ') || 'Somebody'

/** 'Chrome on Android': enough to know one's own phone in a list. */
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
