import * as v from 'valibot'
import { explainMailError } from '../channels/mail-server.ts'
import { keepVisible, toOneLine } from '../safe-text.ts'
import { countUse } from '../store/limits.ts'
import {
  addCrew,
  type LogEntry,
  listCrew,
  listLogEntries,
  listOwners,
  makeOwner,
  removeCrew,
  unmakeOwner,
} from '../store/people.ts'
import { endSessions, listSessions, renamePerson } from '../store/sign-in.ts'
import { readMailFault } from '../store/stored-settings.ts'
import { isEmail } from '../variables.ts'
import { withTimeout } from '../with-timeout.ts'
import { keepForOwner } from '../words.ts'
import type { Role } from './roles.ts'
import {
  type DeskApp,
  type DeskContext,
  logAction,
  readBody,
  refuse,
  type Session,
} from './routes.ts'
import { sendInvitation } from './sign-in.ts'

export type Person = {
  email: string
  role: Role
  /** False for people with an email address in .env. */
  canRemove: boolean
  /** False for owners in .env. */
  canChangeRole: boolean
}

export type People = {
  people: Person[]
  /** Crew members see only their own. */
  sessions: (Omit<Session, 'role'> & { isThis: boolean })[]
  log: { people: LogEntry[]; others: LogEntry[] }
  /** False if no mail server is set up. */
  sendsInvitations: boolean
  /** Why invitations may not arrive. Always null for crew members, who can't invite anyone. */
  mailFault: string | null
}

// Far more than a real crew, but few enough to stop a script.
const maxCrew = 100
const shownEntries = 20
// Without a limit, someone could send spam by adding and removing people.
const maxInvitationsPerDay = 20
// Shorter than the timeout for the desk's requests.
const invitationTimeoutMs = 8_000

/** The name of a person or a device. */
export const nameSchema = v.pipe(
  v.string(),
  v.transform(toOneLine),
  v.check((name) => keepVisible(name) !== ''),
  v.maxLength(60),
)
export const nameRule = 'Enter a name with up to 60 characters.'
export const badEmail = 'Enter an email address such as sam@example.com.'
const cannotMail = 'The desk can’t send email, because no mail server is set up.'
export const cannotSendLink = `${cannotMail} Ask the person who set up this site for a sign-in link.`
export const explainNoLink = (mailFault: string) =>
  `We can’t send a link right now. ${keepForOwner(mailFault)} Ask the person who set up this site for a sign-in link.`
const inSettings =
  'This email address is in the server’s settings. Ask the person who set up this site to change it.'

const emailSchema = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(254),
  v.check(isEmail),
)

export function addPeopleRoutes(app: DeskApp, context: DeskContext): void {
  const { db, env, now, sendInvitation: mailInvitation, url, wake } = context

  async function listPeople(): Promise<Person[]> {
    const owners = await listOwners(db, env)
    const emails = new Set([...env.deskEmails, ...(await listCrew(db))])
    return [...emails].map((email) => ({
      email,
      role: owners.includes(email) ? 'owner' : 'crew',
      canRemove: !env.deskEmails.includes(email),
      canChangeRole: !env.ownerEmails.includes(email),
    }))
  }
  const findPerson = async (email: string) =>
    (await listPeople()).find((person) => person.email === email)

  /** Tries to send an invitation. Returns a message for the owner, with the next step if there is one. */
  async function invite(email: string, inviter: string): Promise<string> {
    const tell = `Tell ${email} to sign in at ${url}.`
    if (!mailInvitation)
      return `Added. ${cannotMail} Once one is set up, ${email} can sign in at ${url}.`
    if (!(await countUse(db.kysely, 'invitations', maxInvitationsPerDay, now())))
      return `Added, but without an invitation, because the desk sends at most ${maxInvitationsPerDay} a day. ${tell}`
    const invited = { url, email, requester: inviter, now: now() }
    const send = (link: string) =>
      withTimeout(
        invitationTimeoutMs,
        () => mailInvitation(email, { inviter, link }),
        context.timers,
      )
    try {
      await sendInvitation(db, invited, send)
      return `Added. We sent an invitation to ${email}.`
    } catch (error) {
      context.log.error({}, 'cannot send an invitation to the desk; check SMTP_URL')
      const why = keepForOwner(explainMailError(error))
      return `Added, but we couldn’t send an invitation. ${why} Once that’s fixed, tell ${email} to sign in at ${url}.`
    }
  }

  app.put('/api/me', async (c) => {
    const { person } = await readBody(c, v.object({ person: nameSchema }), nameRule)
    await renamePerson(db, c.var.session.id, person)
    return c.json({ ok: true })
  })
  app.get('/api/people', async (c) => {
    const { id, email, role } = c.var.session
    const sessions = await listSessions(db, { ...env, now: now() })
    const fault = await readMailFault(db)
    return c.json({
      people: await listPeople(),
      sessions: sessions
        .filter((session) => role === 'owner' || session.email === email)
        .map((session) => ({ ...session, isThis: session.id === id })),
      log: await listLogEntries(db, shownEntries),
      sendsInvitations: mailInvitation !== undefined,
      mailFault: role === 'owner' && mailInvitation && fault ? keepForOwner(fault.error) : null,
    } satisfies People)
  })
  app.delete('/api/sessions', async (c) => {
    await endSessions(db, 'all')
    return c.json({ ok: true })
  })
  app.delete('/api/sessions/:id', async (c) => {
    const { email, role } = c.var.session
    const session = (await listSessions(db, { ...env, now: now() })).find(
      ({ id }) => id === c.req.param('id'),
    )
    if (!session) return c.json({ ok: true })
    if (role !== 'owner' && session.email !== email)
      return refuse(c, 403, 'Only owners can sign out other people.')
    await endSessions(db, session.id)
    return c.json({ ok: true })
  })
  app.post('/api/crew', async (c) => {
    const { email } = await readBody(c, v.object({ email: emailSchema }), badEmail)
    if (await findPerson(email)) return c.json({ message: `${email} can already sign in.` })
    if ((await listCrew(db)).length >= maxCrew)
      return refuse(c, 409, `The crew already has ${maxCrew} people. Remove someone first.`)
    if (await addCrew(db, email)) await logAction(context, c, 'added a person', { email })
    return c.json({ message: await invite(email, c.var.session.person) })
  })
  app.delete('/api/crew/:email', async (c) => {
    const email = c.req.param('email').toLowerCase()
    if (env.deskEmails.includes(email)) return refuse(c, 409, inSettings)
    if (await removeCrew(db, email)) await logAction(context, c, 'removed a person', { email })
    return c.json({ ok: true })
  })
  app.put('/api/owners/:email', async (c) => {
    const email = c.req.param('email').toLowerCase()
    const person = await findPerson(email)
    if (!person) return refuse(c, 404, `${email} can’t sign in. Add this email address first.`)
    if (person.canChangeRole && (await makeOwner(db, email))) {
      await logAction(context, c, 'made a person an owner', { email })
      wake()
    }
    return c.json({ ok: true })
  })
  app.delete('/api/owners/:email', async (c) => {
    const email = c.req.param('email').toLowerCase()
    if (env.ownerEmails.includes(email)) return refuse(c, 409, inSettings)
    if (await unmakeOwner(db, email))
      await logAction(context, c, 'made an owner a crew member', { email })
    return c.json({ ok: true })
  })
}
