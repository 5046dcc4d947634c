import type { Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import * as v from 'valibot'
import type { ChannelContext } from '../channels/channels.ts'
import type { OwnerText, Severity } from '../health/check.ts'
import type { Env } from '../settings.ts'
import type { Session as StoredSession } from '../store/desk-access.ts'
import { addEntry } from '../store/desk-log.ts'
import type { Role } from './roles.ts'
import type { Today } from './today.ts'

export type Session = StoredSession & { role: Role }

export type DeskContext = Omit<ChannelContext, 'env'> & {
  env: Env & { desk: NonNullable<Env['desk']> }
}

export type DeskWarning = OwnerText & { id: string; severity: Severity }

export type DeskHooks = {
  listWarnings: () => Promise<DeskWarning[]>
  /** Undefined if no mail server is set up. */
  sendLink: ((email: string, link: string) => Promise<void>) | undefined
  /** Tells a new person where to sign in. Undefined if no mail server is set up. */
  sendInvitation: ((email: string, inviter: string) => Promise<void>) | undefined
  /** Runs the work after the response was sent. */
  runLater: (work: () => Promise<void>) => void
  /** Returns the desk's page, with today's leads if the person is signed in. */
  sendPage: (c: Context, today: Today | undefined) => Response
  /** Wakes the delivery worker. */
  wake: () => void
  /** Undefined if another process serves the page. */
  page?: PageEditor | undefined
}

type PageMistake = { path: string; message: string }
type PageChange = { label: string; before?: string; after?: string }
type PageWarning = { path?: string; message: string }

/** The site, as far as the desk needs it to edit the page. A draft has only entries that the owner can edit. */
export type PageEditor = {
  /** The fields of the form, in the order of the page. The desk shows them as they are. */
  sections: readonly unknown[]
  /** Adds missing entries from the site's own content, and drops unknown ones. Accepts anything. */
  tidy(stored: unknown): object
  check(draft: object): { mistakes: PageMistake[]; warnings: PageWarning[] }
  /** Renders a draft without mistakes, and warns if the page is too large. */
  checkWeight(draft: object): Promise<PageWarning[]>
  /** Lists the paths of the entries that are still made up. */
  listSamples(draft: object): string[]
  /** Names the fields that differ, with short texts. */
  listChanges(before: object, after: object): PageChange[]
  preview(draft: object): Promise<string>
  /** Renders a draft without mistakes. `show` replaces the page that visitors get. */
  prepare(draft: object): Promise<{ draft: object; show(number: number): void }>
}

/** The desk's Hono app, and a request from a signed-in person. */
export type DeskApp = Hono<SignedIn>
export type DeskRequest = Context<SignedIn>
type SignedIn = { Variables: { session: Session } }

type LoggedAction =
  | 'added a person'
  | 'removed a person'
  | 'made a person an owner'
  | 'changed an owner to crew'
  | 'exported leads'
  | 'erased a lead'
  | 'published the page'
  | 'published an older version of the page'

/**
 * Writes the action and the person to the log, and to the list on the People screen. `fields` may contain a
 * lead's ID, but no other data of the lead. Only the log gets the ID.
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
  await addEntry(db, { id: makeId(), at: now(), person, email, action, about })
}

export const erased = 'This lead was erased.'

export const refuse = (
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 503,
  message: string,
  code?: 'airtable-unavailable' | 'page-changed',
) => c.json({ error: { message, code } }, status)

export const invalidCharacter =
  'The text contains a character that can’t be saved. Delete the text and type it again.'

/** Rejects the request if its body is invalid or contains a NUL, which PostgreSQL cannot store. */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context,
  schema: Schema,
  message: string,
): Promise<v.InferOutput<Schema>> {
  const body = await c.req.json().catch(() => null)
  if (JSON.stringify(body).includes('\\u0000'))
    throw new HTTPException(400, { message: invalidCharacter })
  const parsed = v.safeParse(schema, body)
  if (!parsed.success) throw new HTTPException(400, { message })
  return parsed.output
}
