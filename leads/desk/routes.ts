import type { Hono, Context as HonoContext } from 'hono'
import { HTTPException } from 'hono/http-exception'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Problem } from '../health/check.ts'
import { addLogEntry } from '../store/people.ts'
import type { StoredSession } from '../store/sign-in.ts'
import type { Role } from './roles.ts'
import type { SignInEmail } from './sign-in.ts'
import type { Today } from './today.ts'

export type Session = StoredSession & { role: Role }

export type DeskWarning = Pick<Problem, 'id' | 'severity' | 'text' | 'action'> &
  Partial<Pick<Problem, 'forCrew'>>

/** The context, and what only the desk needs. */
export type DeskContext = Context & {
  /** The desk’s own URL. */
  url: string
  listWarnings: () => Promise<DeskWarning[]>
  /** Undefined if no mail server is set up. */
  sendLink: ((email: string, content: SignInEmail) => Promise<void>) | undefined
  /** Returns why the mail server cannot be used. Tries to sign in to it at most once a minute. */
  findMailFault: () => Promise<string | undefined>
  /** Sends a new person a link that signs them in. Undefined if no mail server is set up. */
  sendInvitation: ((email: string, content: Invitation) => Promise<void>) | undefined
  /** Runs the work a moment later, so that the response does not wait for it. */
  runLater: (work: () => Promise<void>) => void
  /** Returns the desk's page, with today's leads if the person is signed in. */
  sendPage: (c: HonoContext, today: Today | undefined) => Response
  readClientAddress: (c: HonoContext) => string
  /** Wakes the delivery worker. */
  wake: () => void
  /** Undefined if another process serves the page. */
  addPageRoutes?: ((app: DeskApp, context: DeskContext) => void) | undefined
}

export type Invitation = { inviter: string; link: string }

/** The response of POST /api/link. */
export type SignInLink = { requester: string; requestedAt: string; isInvitation: boolean }

/** The response of GET /api/page if another process serves the page. */
export type PageElsewhere = { isHere: false; message: string }

/** The only request that may be longer than a few kB. */
export const draftPath = '/api/page/draft'

/** The desk's Hono app, and a request from a signed-in person. */
export type DeskApp = Hono<SignedIn>
export type DeskRequest = HonoContext<SignedIn>
type SignedIn = { Variables: { session: Session } }

type LoggedAction =
  | 'added a person'
  | 'removed a person'
  | 'made a person an owner'
  | 'made an owner a crew member'
  | 'exported leads'
  | 'erased a lead'
  | 'published the page'
  | 'published an older version of the page'

/**
 * Writes the action and the person to the log, and to the list on the People screen. `fields` may contain a lead's ID,
 * but no other data about the lead. Only the log gets the ID.
 */
export async function logAction(
  { db, log, now, makeId }: Pick<DeskContext, 'db' | 'log' | 'now' | 'makeId'>,
  { var: { session } }: DeskRequest,
  action: LoggedAction,
  fields: { email?: string; leadId?: string } = {},
): Promise<void> {
  const { person, email } = session
  log.info({ by: { person, email }, ...fields }, action)
  const about = fields.email ?? null
  await addLogEntry(db, { id: makeId(), at: now(), person, email, action, about })
}

export const erased = 'This lead was erased.'

export const refuse = (
  c: HonoContext,
  status: 400 | 401 | 403 | 404 | 409 | 503,
  message: string,
  code?: 'not-erased' | 'page-changed',
) => c.json({ error: { message, code } }, status)

export const invalidCharacter =
  'The text contains a character that can’t be saved. Delete the text and type it again.'

/** Rejects the request if its body is invalid or contains a NUL, which PostgreSQL cannot store. */
export async function readBody<Schema extends v.GenericSchema>(
  c: HonoContext,
  schema: Schema,
  message: string,
): Promise<v.InferOutput<Schema>> {
  const body = await c.req.json().catch(() => null)
  // If a person typed \u0000 as text, the JSON has another backslash before it.
  if (/(?<!\\)(\\\\)*\\u0000/.test(JSON.stringify(body)))
    throw new HTTPException(400, { message: invalidCharacter })
  const parsed = v.safeParse(schema, body)
  if (!parsed.success) throw new HTTPException(400, { message })
  return parsed.output
}
