import { randomBytes, randomInt } from 'node:crypto'
import { hash } from '../hash.ts'
import {
  type Access,
  consumeCode,
  consumeLink,
  findLink,
  findSession,
  isServerPerson,
  nameServerPerson,
  saveLink,
  saveSession,
  serverEmail,
} from '../store/sign-in.ts'
import type { Database } from '../store/tables.ts'

const tokenPattern = /^[\w-]{43}$/

// Store only hashes of tokens so that a copy of the database cannot be used to sign in.
const makeToken = () => randomBytes(32).toString('base64url')

/** Includes the browser's secret. Otherwise, someone with the hash could quickly try all one million codes. */
const hashCode = (secret: string, code: string) => hash(`${secret} ${code}`)

/** Returns the browser's secret, or a new one. Reuses it so that the codes from two emails work. */
export const chooseSecret = (cookie: string | undefined): string =>
  cookie && tokenPattern.test(cookie) ? cookie : makeToken()

// Put the token in the fragment, which browsers do not send, so that it is not in server logs and opening the link does
// not use it up.
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

export type SignInEmail = { link: string; code: string; requester: string }
type Requested = { url: string; email: string; requester: string; now: number }

/** Returns false and sends nothing if this email address already has too many unused links. */
export function sendSignIn(
  db: Database,
  { secret, network, ...requested }: Requested & { secret: string; network: string },
  send: (email: string, content: SignInEmail) => Promise<void>,
): Promise<boolean> {
  const code = `${randomInt(1_000_000)}`.padStart(6, '0')
  const { email, requester } = requested
  const sendLink = (link: string) => send(email, { link, code, requester })
  const kind = { codeHash: hashCode(secret, code), network: hash(network) }
  return sendLinkAs(db, requested, kind, sendLink)
}

/** An invitation has no code, because no browser asked for it. */
export const sendInvitation = (
  db: Database,
  invited: Requested,
  send: (link: string) => Promise<void>,
): Promise<boolean> => sendLinkAs(db, invited, { isInvitation: true }, send)

async function sendLinkAs(
  db: Database,
  { url, now, ...requested }: Requested,
  kind: { codeHash: string; network: string } | { isInvitation: true },
  send: (link: string) => Promise<void>,
): Promise<boolean> {
  const token = makeToken()
  const tokenHash = hash(token)
  if (!(await saveLink(db, { tokenHash, requestedAt: now, ...requested, ...kind }))) return false
  try {
    await send(formatLink(url, token))
  } catch (error) {
    // Delete the link, because one that was never sent must not count toward the limit.
    await consumeLink(db, tokenHash, now)
    throw error
  }
  return true
}

/** Returns who requested the link and when, or undefined if it is forged, used, or expired. */
export async function readLink(db: Database, token: string, now: number) {
  return tokenPattern.test(token) ? findLink(db, hash(token), now) : undefined
}

type NewSession = {
  person: string
  device: string
  /** The token of the browser's earlier session. */
  earlierToken: string | undefined
  now: number
}

/** Returns the session's token, or undefined if the link is forged, used, or expired. */
export async function redeemLink(db: Database, token: string, session: NewSession) {
  if (!tokenPattern.test(token)) return undefined
  return db.kysely.transaction().execute(async (kysely) => {
    const email = await consumeLink({ kysely }, hash(token), session.now)
    return email === undefined ? undefined : startSession(kysely, email, session)
  })
}

/** Returns the session's token, or undefined if the code does not work in this browser now. */
export function redeemCode(
  db: Database,
  { email, code, secret, canSignIn }: SentCode,
  session: NewSession,
) {
  // All unknown email addresses share one count, so that a stranger cannot fill the database.
  const counter = `code:${canSignIn ? hash(email) : 'unknown'}`
  const sent = { email, codeHash: hashCode(secret, code), counter }
  return db.kysely.transaction().execute(async (kysely) => {
    const isRight = await consumeCode({ kysely }, sent, session.now)
    return isRight ? startSession(kysely, email, session) : undefined
  })
}

type SentCode = { email: string; code: string; secret: string; canSignIn: boolean }

async function startSession(
  kysely: Database['kysely'],
  sentTo: string,
  { person, device, earlierToken, now }: NewSession,
): Promise<string> {
  const email = sentTo === serverEmail ? nameServerPerson(person) : sentTo
  const sessionToken = makeToken()
  const session = { id: crypto.randomUUID(), email, person, device, seenAt: now }
  const replacedHash = earlierToken && hash(earlierToken)
  await saveSession({ kysely }, session, { tokenHash: hash(sessionToken), replacedHash })
  return sessionToken
}

/** Reads the role each time so that a change takes effect immediately. */
export async function readSession(
  db: Database,
  sessionToken: string | undefined,
  access: Access & { ownerEmails: readonly string[] },
) {
  if (!sessionToken || !tokenPattern.test(sessionToken)) return undefined
  const session = await findSession(db, hash(sessionToken), access)
  if (!session) return undefined
  const isOwner =
    session.isMadeOwner ||
    access.ownerEmails.includes(session.email) ||
    isServerPerson(session.email)
  return { ...session, role: isOwner ? ('owner' as const) : ('crew' as const) }
}

/** Returns text such as `Chrome on Android`. */
export function describeDevice(userAgent: string): string {
  const find = (patterns: Record<string, RegExp>) =>
    Object.keys(patterns).find((name) => patterns[name]?.test(userAgent))
  const browser = find({
    Edge: /\bEdg/,
    'Samsung Internet': /SamsungBrowser/,
    Firefox: /Firefox|FxiOS/,
    Chrome: /Chrome|CriOS/,
    Safari: /Safari/,
  })
  const systems = ['iPhone', 'iPad', 'Android', 'Windows', 'Macintosh', 'Linux']
  const system = systems.find((name) => userAgent.includes(name))?.replace('Macintosh', 'Mac')
  return `${browser ?? 'A browser'} on ${system ?? 'an unknown device'}`
}
