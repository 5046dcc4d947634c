import { createHash, randomBytes } from 'node:crypto'
import { findNetwork } from '../client-address.ts'
import { consumeLink, findSession, saveLink, saveSession } from '../store/desk-access.ts'
import { type Access, serverEmail } from '../store/live-sessions.ts'
import type { Database } from '../store/tables.ts'

const linkMs = 15 * 60_000
const tokenPattern = /^[\w-]{43}$/

/** Store only hashes, so that a copy of the database cannot be used to sign in. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex')
const makeToken = () => randomBytes(32).toString('base64url')

/** Without `email`, the link is for someone with access to the server. */
export async function makeLink(
  db: Database,
  { url, email = serverEmail, now }: { url: string; email?: string; now: number },
): Promise<string> {
  const token = makeToken()
  await saveLink(db, { tokenHash: hash(token), email, expiresAt: now + linkMs }, now)
  // Put the token into the fragment, so that server logs and mail scanners do not get it.
  return `${url}/#enter=${token}`
}

/**
 * Returns false for requests over the limits, counted in windows of 15 minutes. Counts in memory to
 * keep this load off the database. Has no limit per email address, because a stranger could use it to
 * lock out the owner.
 */
export function createSignInLimit(now: () => number): (client: string) => boolean {
  const counts = new Map<string, number>()
  let startedAt = 0
  return (client) => {
    // The absolute value, because a corrected clock may go back.
    if (Math.abs(now() - startedAt) >= linkMs) {
      counts.clear()
      startedAt = now()
    }
    const limits = [
      [`client ${client}`, 10],
      [`network ${findNetwork(client)}`, 30],
      ['all', 300],
    ] as const
    const count = (key: string) => counts.get(key) ?? 0
    if (limits.some(([key, max]) => count(key) >= max)) return false
    for (const [key] of limits) counts.set(key, count(key) + 1)
    return true
  }
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

export async function readSession(db: Database, sessionToken: string | undefined, access: Access) {
  if (!sessionToken || !tokenPattern.test(sessionToken)) return undefined
  return findSession(db, hash(sessionToken), access)
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
