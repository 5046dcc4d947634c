import type { Context } from 'hono'
import * as v from 'valibot'
import type { ChannelContext } from '../channels/channels.ts'
import type { OwnerText, Severity } from '../health/check.ts'
import type { Env } from '../settings.ts'
import type { Session } from '../store/desk-access.ts'
import type { Today } from './today.ts'

export type { Session }

export type DeskContext = Omit<ChannelContext, 'env'> & {
  env: Env & { desk: NonNullable<Env['desk']> }
}

export type DeskWarning = OwnerText & { id: string; severity: Severity }

export type DeskHooks = {
  findWarnings: () => Promise<DeskWarning[]>
  /** Undefined if no mail server is set up. */
  sendLink: ((email: string, link: string) => Promise<void>) | undefined
  /** Runs the work after the response was sent. */
  runLater: (work: () => Promise<void>) => void
  findClientAddress: (c: Context) => string
  /** Returns the desk's page, with today's leads if the person is signed in. */
  sendPage: (c: Context, today: Today | undefined) => Response
  /** Wakes the delivery worker. */
  wake: () => void
}

/** Only `open` routes work without a session. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
} & (
  | { open: true; answer: (c: Context) => Promise<Response> | Response }
  | {
      open?: false
      /** The browser calls it without a user action, so it does not extend the session. */
      isAutomatic?: boolean
      answer: (c: Context, session: Session) => Promise<Response> | Response
    }
)

export const maxBodyBytes = 4_096

export const refuse = (
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 503,
  message: string,
  code?: 'airtable-unavailable',
) => c.json({ error: { message, code } }, status)

/** Returns undefined if the body is invalid or contains a NUL, which PostgreSQL cannot store. */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context,
  schema: Schema,
): Promise<v.InferOutput<Schema> | undefined> {
  const body = await c.req.json().catch(() => undefined)
  const parsed = v.safeParse(schema, body)
  return parsed.success && !JSON.stringify(body).includes('\\u0000') ? parsed.output : undefined
}
