import { expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { deskUrl, openTestDesk } from '#testing/desk.ts'
import { testCompany } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { email } from '../channels/email.ts'
import { rememberFaults } from '../channels/mail-server.ts'
import { system } from '../channels/system.ts'
import type { Timers } from '../timers.ts'
import { createDeskService } from './service.ts'

const wrongPassword = 'The mail server rejected the site’s user name or password.'
const ask = 'Ask the person who set up this site'

async function open(changes: Record<string, string> = {}, startTimer = system.timers.start) {
  const mail = await startFakeMail({ user: 'site', password: 'right' })
  onTestFinished(() => mail.close())
  const env = makeSettings({
    DESK_URL: deskUrl,
    DESK_EMAIL_TO: 'sam.hill@example.com',
    ...mail.env,
    ...changes,
  })
  const db = await openTestDatabase('sqlite')
  const { cookie } = await openTestDesk(db)
  const later: Promise<void>[] = []
  const timers: Timers = {
    ...system.timers,
    start: (ms, work) => {
      if (ms !== 500) return startTimer(ms, work)
      later.push(work() as unknown as Promise<void>)
      return () => {}
    },
  }
  const { context, clock } = createTestContext(db, env, { timers })
  const app = createDeskService(context, {
    url: deskUrl,
    readMachine: () => Promise.reject(new Error('unknown')),
    sendPage: (c) => c.text(''),
    readClientAddress: () => '203.0.113.7',
    wake: () => {},
  })
  const request = async (method: string, path: string, body?: object) => {
    const headers = { cookie, origin: deskUrl }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await app.request(deskUrl + path, init)
    await Promise.all(later)
    return { status: response.status, json: await response.json() }
  }
  const signIn = async (address = 'sam.hill@example.com') => {
    // The desk logs in to the mail server at most once a minute.
    clock.at += 60_000
    const { status, json } = await request('POST', '/api/sign-in', { email: address })
    return status === 200 ? 'on its way' : json.error.message
  }
  const readWarning = async () => {
    const { json } = await request('GET', '/api/today')
    const found = json.warnings.find(({ id }: { id: string }) => id === 'mail-failing')
    return found?.text
  }
  return { mail, clock, context, request, signIn, readWarning }
}

it('says on the sign-in screen that the mail server rejects the password, to everyone', async () => {
  const { mail, signIn, readWarning } = await open({ SMTP_URL: '' })
  expect(mail.mails).toEqual([])
  expect(await readWarning()).toBeUndefined()
  const wrong = await open({ SMTP_URL: mail.url.replace('right', 'wrong') })
  const message = `We can’t send a link right now. ${wrongPassword} ${ask} for a sign-in link.`
  expect(await wrong.signIn()).toBe(message)
  expect(await wrong.signIn('stranger@example.com')).toBe(message)
  expect(await wrong.readWarning()).toBe(
    `Email isn’t working (last tried at 6:02 AM CST). ${wrongPassword} Sign-in links, invitations, and email alerts may not arrive. ${ask} to fix this.`,
  )
  expect(await signIn()).toContain('no mail server is set up')
})

it('emails an invitation', async () => {
  const { mail, request } = await open()
  await request('PUT', '/api/me', { person: 'Sam <b>\r\nBcc: x@example.com' })
  await request('POST', '/api/crew', { email: 'dana@example.com' })
  const subject = `Sam <b> Bcc: x@example.com invited you to the ${testCompany.name} desk`
  expect(mail.mails).toMatchObject([{ to: ['dana@example.com'], subject }])
  expect(mail.mails[0]?.text).toContain(`Open the desk:\n${deskUrl}/#enter=`)
  expect(mail.mails[0]?.html).toContain('Sam &lt;b&gt; Bcc')
})

it('says why an invitation was not sent', async () => {
  const { request, clock } = await open({ SMTP_URL: 'smtp://127.0.0.1:1' })
  clock.at += 60_000
  const { json } = await request('POST', '/api/crew', { email: 'dana@example.com' })
  expect(json.message).toBe(
    `Added, but we couldn’t send an invitation. The mail server couldn’t be reached. Once that’s fixed, tell dana@example.com to sign in at ${deskUrl}.`,
  )
  const people = await request('GET', '/api/people')
  expect(people.json.mailFault).toBe('The mail server couldn’t be reached.')
})

it('remembers a rejected email until the next one succeeds, but still sends links', async () => {
  const { mail, context, signIn, readWarning } = await open()
  expect(await signIn()).toBe('on its way')
  mail.settings.refuseSender = 550
  await signIn()
  // The mail server accepts the password, so the next link may arrive.
  for (const address of ['sam.hill@example.com', 'stranger@example.com'])
    expect(await signIn(address)).toBe('on its way')
  expect(await readWarning()).toContain('The mail server rejected the email.')

  mail.settings.refuseSender = undefined
  const openMailServer = rememberFaults(system.openMailServer, context)
  expect(await sendThrough(email, { ...context, openMailServer })).toEqual({ ok: true })
  expect(await signIn()).toBe('on its way')
  expect(await readWarning()).toBeUndefined()
})

it('does not blame the mail server for an address that does not exist', async () => {
  const { mail, signIn, readWarning } = await open()
  mail.settings.refusedReceivers.set('sam.hill@example.com', 550)
  await signIn()
  expect(await signIn()).toBe('on its way')
  expect(await readWarning()).toBeUndefined()
})

it('says right away that the mail server hangs', async () => {
  const startAtOnce: typeof system.timers.start = (_, work) => {
    const timer = setImmediate(work)
    return () => clearImmediate(timer)
  }
  const { mail, signIn, readWarning } = await open({}, startAtOnce)
  mail.settings.hang = () => {}
  expect(await signIn('stranger@example.com')).toContain('The mail server didn’t respond in time.')
  expect(await readWarning()).toContain('The mail server didn’t respond in time.')
})
