import * as v from 'valibot'
import {
  addCrew,
  endSessions,
  listCrew,
  listSessions,
  removeCrew,
  renamePerson,
} from '../store/desk-access.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskHooks,
  logAction,
  readBody,
  refuse,
} from './routes.ts'

// Far more than a real crew, but few enough to stop a script.
const maxCrew = 100

export const personSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60))
export const nameRule = 'Enter a name with up to 60 characters.'
export const badEmail = 'Enter an email address.'
const cannotMail =
  'The desk can’t send email, because no mail server is set up. Ask the person who set up this site.'
export const cannotSendLink = `${cannotMail} To sign in, run this on the server: npm run leads -- desk`

const emailSchema = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(254),
  v.regex(/^[^\s@<>",]+@[^\s@<>",]+$/),
)

export function addPeopleRoutes(app: DeskApp, context: DeskContext, { sendLink }: DeskHooks): void {
  const { db, env, now } = context
  app.put('/api/me', async (c) => {
    const { person } = await readBody(c, v.object({ person: personSchema }), nameRule)
    await renamePerson(db, c.var.session.id, person)
    return c.json({ ok: true })
  })
  app.get('/api/people', async (c) => {
    const sessions = await listSessions(db, { ...env, now: now() })
    const crew = await listCrew(db)
    return c.json({
      sessions: sessions.map((one) => ({ ...one, isThis: one.id === c.var.session.id })),
      crew: [
        ...[...new Set(env.deskEmails)].map((email) => ({ email, canRemove: false })),
        ...crew
          .filter((email) => !env.deskEmails.includes(email))
          .map((email) => ({ email, canRemove: true })),
      ],
    })
  })
  app.delete('/api/sessions/:id', async (c) => {
    await endSessions(db, c.req.param('id'), now())
    return c.json({ ok: true })
  })
  app.post('/api/crew', async (c) => {
    if (!sendLink) return refuse(c, 409, `${cannotMail} Without email, crew members can’t sign in.`)
    const { email } = await readBody(c, v.object({ email: emailSchema }), badEmail)
    if ((await listCrew(db)).length >= maxCrew)
      return refuse(c, 409, `The crew already has ${maxCrew} people. Remove someone first.`)
    if (!env.deskEmails.includes(email) && (await addCrew(db, email)))
      logAction(context, c, 'added a person', { email })
    return c.json({ ok: true })
  })
  app.delete('/api/crew/:email', async (c) => {
    const email = c.req.param('email')
    if (env.deskEmails.includes(email))
      return refuse(
        c,
        409,
        'This address is in the server’s settings. Ask the person who set up this site to remove it.',
      )
    if (await removeCrew(db, email, now())) logAction(context, c, 'removed a person', { email })
    return c.json({ ok: true })
  })
}
