import { createHash, randomBytes } from 'node:crypto'
import { consumeLink, findLink, findSession, saveLink, saveSession } from '../store/desk-access.ts'
import { type Access, serverEmail } from '../store/live-sessions.ts'
import type { Database } from '../store/tables.ts'

const tokenPattern = /^[\w-]{43}$/

/** Store only hashes, so that a copy of the database cannot be used to sign in. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex')
const makeToken = () => randomBytes(32).toString('base64url')

// Put the token into the fragment, so that server logs and mail scanners do not get it.
const formatLink = (url: string, token: string) => `${url}/#enter=${token}`

/** Returns a link for someone with access to the server. */
export async function makeLink(
  db: Database,
  { url, now }: { url: string; now: number },
): Promise<string> {
  const token = makeToken()
  const requester = 'Someone with access to the server'
  await saveLink(db, { tokenHash: hash(token), email: serverEmail, requester, requestedAt: now })
  return formatLink(url, token)
}

/** Returns false if the address gets no link now, because it has three unused ones. */
export async function sendNewLink(
  db: Database,
  { url, email, requester, now }: { url: string; email: string; requester: string; now: number },
  sendLink: (email: string, link: string) => Promise<void>,
): Promise<boolean> {
  const token = makeToken()
  const link = { tokenHash: hash(token), email, requester, requestedAt: now }
  if (!(await saveLink(db, link))) return false
  try {
    await sendLink(email, formatLink(url, token))
  } catch (error) {
    // Otherwise links that were never sent would count.
    await consumeLink(db, link.tokenHash, now)
    throw error
  }
  return true
}

/** Returns who requested the link and when, or undefined if it is forged, used, or expired. */
export async function readLink(db: Database, token: string, now: number) {
  return tokenPattern.test(token) ? findLink(db, hash(token), now) : undefined
}

/** Returns the session's token, or undefined if the link is forged, used, or expired. */
export async function redeemLink(
  db: Database,
  {
    token,
    person,
    device,
    earlierToken,
    now,
  }: {
    token: string
    person: string
    device: string
    /** The token of the browser's earlier session. */
    earlierToken: string | undefined
    now: number
  },
): Promise<string | undefined> {
  if (!tokenPattern.test(token)) return undefined
  const email = await consumeLink(db, hash(token), now)
  if (email === undefined) return undefined
  const sessionToken = makeToken()
  const session = { id: crypto.randomUUID(), email, person, device, seenAt: now }
  const replacedHash = earlierToken && hash(earlierToken)
  await saveSession(db, session, { tokenHash: hash(sessionToken), replacedHash })
  return sessionToken
}

/** Reads the role each time, so that it changes immediately. */
export async function readSession(
  db: Database,
  sessionToken: string | undefined,
  access: Access & { ownerEmails: readonly string[] },
) {
  if (!sessionToken || !tokenPattern.test(sessionToken)) return undefined
  const session = await findSession(db, hash(sessionToken), access)
  if (!session) return undefined
  const isOwner =
    session.isMadeOwner || [...access.ownerEmails, serverEmail].includes(session.email)
  return { ...session, role: isOwner ? ('owner' as const) : ('crew' as const) }
}

/** Returns text such as "Chrome on Android". */
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
