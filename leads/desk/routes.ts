import type { Context } from 'hono'
import * as v from 'valibot'
import type { Session } from '../store/desk-access.ts'

export type { Session }

/** What a route knows of the one who asks. Only `open` routes are answered without a session. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
} & (
  | { open: true; answer: (c: Context) => Promise<Response> | Response }
  | { open?: false; answer: (c: Context, session: Session) => Promise<Response> | Response }
)

export const maxBodyBytes = 4_096

export const refuse = (c: Context, status: 400 | 401 | 403 | 404 | 409 | 503, message: string) =>
  c.json({ error: { message } }, status)

/** What was sent, if it is what it should be. */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context,
  schema: Schema,
): Promise<v.InferOutput<Schema> | undefined> {
  const parsed = v.safeParse(schema, await c.req.json().catch(() => undefined))
  return parsed.success ? parsed.output : undefined
}
