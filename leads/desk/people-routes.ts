import * as v from 'valibot'
import {
  addCrew,
  endSessions,
  listCrew,
  listSessions,
  removeCrew,
  renamePerson,
} from '../store/desk-access.ts'
import { type DeskContext, type DeskHooks, type Route, readBody, refuse } from './routes.ts'

// Far more than a real crew, but few enough to stop a script.
const maxCrew = 100

export const personSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60))
export const nameRule = 'Enter a name with up to 60 characters.'
const cannotMail = 'The desk can’t send email, because no mail server is set up.'
export const cannotSendLink = `${cannotMail} To sign in, run this on the server: npm run leads -- desk`

const emailSchema = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(254),
  v.regex(/^[^\s@<>",]+@[^\s@<>",]+$/),
)

export function createPeopleRoutes(context: DeskContext, { sendLink }: DeskHooks): Route[] {
  const { db, env, now } = context
  return [
    {
      method: 'PUT',
      path: '/api/me',
      answer: async (c, session) => {
        const body = await readBody(c, v.object({ person: personSchema }))
        if (!body) return refuse(c, 400, nameRule)
        await renamePerson(db, session.id, body.person)
        return c.json({ ok: true })
      },
    },
    {
      method: 'GET',
      path: '/api/people',
      answer: async (c, { id }) => {
        const sessions = await listSessions(db, { ...env, now: now() })
        const crew = await listCrew(db)
        return c.json({
          sessions: sessions.map((one) => ({ ...one, isThis: one.id === id })),
          crew: [
            ...[...new Set(env.deskEmails)].map((email) => ({ email, canRemove: false })),
            ...crew
              .filter((email) => !env.deskEmails.includes(email))
              .map((email) => ({ email, canRemove: true })),
          ],
        })
      },
    },
    {
      method: 'DELETE',
      path: '/api/sessions/:id',
      answer: async (c) => {
        await endSessions(db, c.req.param('id') ?? '', now())
        return c.json({ ok: true })
      },
    },
    {
      method: 'POST',
      path: '/api/crew',
      answer: async (c) => {
        // Crew members sign in with a link sent by email.
        if (!sendLink)
          return refuse(c, 409, `${cannotMail} Without email, crew members can’t sign in.`)
        const body = await readBody(c, v.object({ email: emailSchema }))
        if (!body) return refuse(c, 400, 'Enter an email address.')
        if ((await listCrew(db)).length >= maxCrew)
          return refuse(c, 409, `The crew already has ${maxCrew} people. Remove someone first.`)
        if (!env.deskEmails.includes(body.email)) await addCrew(db, body.email)
        return c.json({ ok: true })
      },
    },
    {
      method: 'DELETE',
      path: '/api/crew/:email',
      answer: async (c) => {
        const email = c.req.param('email') ?? ''
        if (env.deskEmails.includes(email))
          return refuse(
            c,
            409,
            'This address is in the server’s settings. Ask the person who set up this site to remove it.',
          )
        await removeCrew(db, email, now())
        return c.json({ ok: true })
      },
    },
  ] as Route[]
}
