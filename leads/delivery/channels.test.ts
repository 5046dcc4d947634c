import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { startTwilioStandIn } from '#demo/twilio-stand-in.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { jane, storeLead } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { describeAlert } from '../alerts/alert.ts'
import { createEmailSender } from '../alerts/email.ts'
import { sendSms } from '../alerts/text.ts'
import { sendWebhook } from '../alerts/webhook.ts'
import { readAnswerToken } from '../answer-link.ts'
import type { Lead } from '../lead.ts'
import { createFaultLog } from '../log.ts'
import { removeSetting } from '../store/kept-settings.ts'
import { countWaiting, listLeads } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { createChannels } from './channels.ts'
import { createDeliverer } from './deliver.ts'
import { planDelivery } from './plan.ts'
import { kindOf, listReceivers, mapReceivers } from './receivers.ts'
import { listWarnings } from './warnings.ts'

const start = Date.parse('2026-11-15T18:00:00Z')

const stored = {
  id: '00000000-0000-4000-8000-000000000001',
  receivedAt: start,
  suspect: null,
  consent: null,
  source: null,
  answeredAt: null,
  answeredBy: null,
}

/** The channels of these variables on a database of their own, with a clock that waits move. */
async function open(variables: Record<string, string>, given?: Database) {
  const settings = makeSettings(variables)
  const db = given ?? (await openTestDatabase('sqlite'))
  const log = createTestLog()
  const clock = { at: start }
  const now = () => clock.at
  const pause = async (ms: number) => {
    clock.at += ms
  }
  const deliverer = createDeliverer({
    db,
    channels: createChannels(settings, { db, fetch, pause, now }),
    now,
    random: () => 1,
    pause,
    log,
    faults: createFaultLog(log),
  })
  const save = (lead: Partial<Lead> = {}, suspect: 'trap' | null = null) =>
    storeLead(db, {
      at: clock.at,
      lead,
      suspect,
      escalateAt: undefined,
      ...planDelivery(settings, { suspect }, clock.at),
    })
  /** Of the first receiver, unless it is another's. */
  const readDelivery = async (kind: string, to?: string) =>
    (await listLeads(db, { limit: 1 }))[0]?.deliveries.find(
      ({ channel }) =>
        kindOf(channel) === kind &&
        (to === undefined || mapReceivers(settings).get(channel) === to),
    )
  const warn = async () => listWarnings(settings, db, await countWaiting(db), clock.at)
  return {
    db,
    log,
    clock,
    settings,
    save,
    deliver: () => deliverer.deliverDue(1),
    readDelivery,
    warn,
  }
}

describe('by e-mail', () => {
  async function openMail(changed: Record<string, string> = {}, db?: Database) {
    const mail = await startMailStandIn()
    onTestFinished(() => mail.close())
    const given = {
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'Roofing <alerts@example.com>',
      ALERT_EMAIL_TO: 'staff@example.com',
      ...changed,
    }
    const opened = await open(given, db)
    return { mail, ...opened }
  }

  it('an alert arrives with all that is needed to call', async () => {
    const { mail, save, deliver, settings, clock } = await openMail()
    const leadId = await save({ serviceType: 'emergency', name: 'Zoë 山田 👩‍👩‍👧' })
    await deliver()
    expect(mail.mails).toHaveLength(1)
    const [received] = mail.mails
    expect(received?.to).toEqual(['staff@example.com'])
    expect(received?.subject).toBe('EMERGENCY: call Zoë 山田 👩‍👩‍👧 by 12:10 PM CST')
    expect(received?.headers.get('message-id')).toBe(`<${leadId}_received@example.com>`)
    expect(received?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(received?.headers.get('importance')).toBe('High')
    for (const part of [received?.text, received?.html]) {
      expect(part).toContain('Zoë 山田 👩‍👩‍👧')
      expect(part).toContain('Emergency Service')
      expect(part).toContain('tel:5551234567')
      expect(part).toContain('123%20Main%20St')
      expect(part).toContain('12:10 PM CST')
    }
    const token = received?.text.match(/https:\/\/www\.example\.com\/answer\/(\S+)/)?.[1] ?? ''
    expect(readAnswerToken(token, settings.linkSecret ?? '', clock.at)).toEqual({
      kind: 'valid',
      leadId,
    })
  })

  it('no field of a lead can add a header or a receiver', async () => {
    const { mail, save, deliver } = await openMail()
    await save({
      name: 'Jane\r\nBcc: thief@evil.example\r\n\r\n<h1>hi</h1>',
      address: '1 Main\r\nSt\u2028X-Evil: 1',
    })
    await deliver()
    const [received] = mail.mails
    expect(received?.to).toEqual(['staff@example.com'])
    expect(received?.headers.has('bcc')).toBe(false)
    expect(received?.headers.has('x-evil')).toBe(false)
    expect(received?.html).not.toContain('<h1>hi')
  })

  it('each receiver is told once, although another’s mailbox refuses', async () => {
    const { mail, save, deliver, clock, readDelivery, log } = await openMail({
      ALERT_EMAIL_TO: 'one@example.com, two@example.com',
    })
    mail.settings.refusedReceivers.set('two@example.com', 450)
    await save()
    await deliver()
    expect(await readDelivery('email', 'one@example.com')).toMatchObject({ state: 'sent' })
    expect(await readDelivery('email', 'two@example.com')).toMatchObject({
      state: 'waiting',
      lastError: 'The mail server refuses the mail (EENVELOPE 450 at RCPT TO).',
    })
    mail.settings.refusedReceivers.clear()
    clock.at += 10_000
    await deliver()
    expect(mail.mails.map(({ to }) => to[0])).toEqual(['one@example.com', 'two@example.com'])
    expect(JSON.stringify(log.entries)).not.toContain('two@example.com')
  })

  it('an alert that waits goes to whom it was for, although the list was turned round', async () => {
    const { mail, save, deliver, db, clock } = await openMail({
      ALERT_EMAIL_TO: 'one@example.com,two@example.com',
    })
    mail.settings.refusedReceivers.set('two@example.com', 450)
    await save()
    await deliver()
    mail.settings.refusedReceivers.clear()
    const after = await openMail({ ALERT_EMAIL_TO: 'two@example.com,ONE@example.com' }, db)
    after.clock.at = clock.at + 60_000
    await after.deliver()
    expect([...mail.mails, ...after.mail.mails].map(({ to }) => to[0])).toEqual([
      'one@example.com',
      'two@example.com',
    ])
    expect(await countWaiting(db)).toMatchObject([{ channel: 'airtable' }])
  })

  it('what waits for a receiver who is gone is said, and goes to nobody else', async () => {
    const { mail, save, deliver, db } = await openMail({
      ALERT_EMAIL_TO: 'one@example.com,two@example.com',
    })
    mail.settings.refusedReceivers.set('two@example.com', 450)
    await save()
    await deliver()
    const after = await openMail({ ALERT_EMAIL_TO: 'three@example.com' }, db)
    await after.deliver()
    expect(after.mail.mails).toEqual([])
    expect(await after.warn()).toEqual([
      '1 alert waits for a receiver who is gone (email). npm run leads tells which, and how to drop it.',
    ])
  })

  it('names that stand twice in a list are one receiver', async () => {
    const { mail, save, deliver } = await openMail({ ALERT_EMAIL_TO: 'a@b.example,A@B.example' })
    await save()
    await deliver()
    expect(mail.mails).toHaveLength(1)
  })

  it('what waited when channels were named by position goes out to who is there now', async () => {
    const { mail, save, deliver, db, warn } = await openMail({
      ALERT_EMAIL_TO: 'one@example.com,two@example.com',
    })
    const leadId = await save()
    await db.kysely.deleteFrom('deliveries').execute()
    const delivery = { lead_id: leadId, occasion: 'received' as const, state: 'waiting' as const }
    const times = { attempts: 3, next_attempt_at: start, created_at: start, leased_until: 0 }
    await db.kysely
      .insertInto('deliveries')
      .values(
        ['email', 'email-2', 'email-3'].map((channel) => ({ ...delivery, ...times, channel })),
      )
      .execute()
    await deliver()
    expect(mail.mails.map(({ to }) => to[0]).sort()).toEqual(['one@example.com', 'two@example.com'])
    expect(await countWaiting(db)).toMatchObject([{ channel: 'email-3', waiting: 1 }])
    expect(await warn()).toContainEqual(expect.stringMatching(/1 alert waits .* gone \(email-3\)/))
  })

  it('a refusal for good is retried too, every half minute while the lead is young', async () => {
    const { mail, save, deliver, clock, readDelivery, warn } = await openMail()
    mail.settings.refuseData = 554
    await save()
    const delays: number[] = []
    for (let at = 0; at < 6; at++) {
      const before = clock.at
      await deliver()
      const nextAttemptAt = (await readDelivery('email'))?.nextAttemptAt ?? 0
      delays.push((nextAttemptAt - before) / 1000)
      clock.at = nextAttemptAt
    }
    expect(delays).toEqual([5, 10, 20, 30, 30, 30])
    expect(await warn()).toEqual([
      expect.stringMatching(/^email lags: 1 wait, the oldest for \d+ s\.$/),
    ])
    clock.at = start + 3 * 3_600_000
    await deliver()
    expect(((await readDelivery('email'))?.nextAttemptAt ?? 0) - clock.at).toBeGreaterThan(60_000)
    mail.settings.refuseData = undefined
    clock.at += 900_000
    await deliver()
    expect(mail.mails[0]?.subject).toBe('Call Jane Doe now: asked 3 hours ago')
    expect(mail.mails[0]?.text).toContain('This alert is late: the request came 3 hours ago.')
    expect(await warn()).toEqual([])
  })

  it('one mail that is refused for good is no outage; one that is put off is', async () => {
    const { mail, save, deliver, log } = await openMail()
    mail.settings.refuseData = 554
    await save()
    await deliver()
    mail.settings.refuseData = 451
    await save()
    await deliver()
    expect(log.entries.map(({ level }) => level)).toEqual(['warn', 'error'])
  })

  it.each([
    ['gone', 'smtp://127.0.0.1:1', /cannot be reached \(E\w+/],
    ['not a mail server’s name', 'smtp://nowhere.invalid', /cannot be reached/],
  ])('a mail server that is %s is a clear error', async (_, url, error) => {
    const { save, deliver, readDelivery } = await openMail({ SMTP_URL: url })
    await save()
    await deliver()
    expect((await readDelivery('email'))?.lastError).toMatch(error)
  })

  it('a mail server that never says yes does not hold up the end of the process', async () => {
    const { mail, settings } = await openMail()
    mail.settings.hangs = true
    if (!settings.email) throw new Error('no e-mail')
    const sendEmail = createEmailSender(settings.email)
    const alert = describeAlert({ ...jane, ...stored }, 'received', { now: start, timeZone: 'UTC' })
    expect(await sendEmail(alert, 'staff@example.com', AbortSignal.timeout(100))).toEqual({
      ok: false,
      error: 'The mail server did not take the mail in time.',
      refused: false,
    })
  })

  it('wrong user or password is said in plain words, without them', async () => {
    const mail = await startMailStandIn({ user: 'staff', password: 'right' })
    onTestFinished(() => mail.close())
    const { save, deliver, readDelivery } = await open({
      SMTP_URL: mail.url.replace('right', 'wrong-secret'),
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'staff@example.com',
    })
    await save()
    await deliver()
    const lastError = (await readDelivery('email'))?.lastError
    expect(lastError).toMatch(/^The mail server does not accept user and password of SMTP_URL/)
    expect(lastError).not.toContain('wrong-secret')
  })
})

describe('by webhook', () => {
  const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`

  async function openWebhook(
    answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
      response.end(),
  ) {
    const requests: { headers: IncomingMessage['headers']; body: string; path: string }[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      requests.push({ headers: request.headers, body, path: request.url ?? '' })
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    const opened = await open({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret })
    return { requests, url, ...opened }
  }

  const status =
    (code: number, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(code, headers)
      response.end()
    }

  it('the signature verifies with the published library, and every retry has the same id', async () => {
    const codes = [500, 200]
    const { requests, save, deliver, clock } = await openWebhook((_, response) => {
      response.writeHead(codes.shift() ?? 200)
      response.end()
    })
    // The library refuses what is older than five minutes by its own clock.
    clock.at = Date.now()
    const leadId = await save()
    await deliver()
    clock.at += 6_000
    await deliver()
    expect(requests).toHaveLength(2)
    const [first, second] = requests
    for (const { body, headers } of requests)
      expect(() =>
        new Webhook(secret).verify(body, headers as Record<string, string>),
      ).not.toThrow()
    expect(() =>
      new Webhook(secret).verify(`${first?.body} `, first?.headers as Record<string, string>),
    ).toThrow()
    expect(first?.headers['webhook-id']).toBe(`${leadId}_received`)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  it('the body has our fields as typed, and a text that Slack shows and cannot be tricked by', async () => {
    const { requests, save, deliver } = await openWebhook()
    const name = '<!channel> <https://evil.example|Jane> & co'
    await save({ name, serviceType: 'emergency' })
    await deliver()
    const { type, text, data } = JSON.parse(requests[0]?.body ?? '')
    expect(type).toBe('lead.received')
    expect(data.lead).toMatchObject({ name, email: jane.email, phone: jane.phone })
    expect(data.answerUrl).toMatch(/^https:\/\/www\.example\.com\/answer\//)
    expect(text).toMatch(/^EMERGENCY: call &lt;!channel&gt; &lt;https: \/evil\. example/)
    expect(text).toContain('<tel:5551234567|(555) 123-4567>')
    expect(text.match(/<([a-z]+):/g)).toEqual(['<tel:', '<https:', '<https:'])
    expect(text).not.toContain('evil.example')
  })

  it('410 ends the sending until the owner acts, and says so', async () => {
    let code = 410
    const { requests, save, deliver, clock, readDelivery, warn, db } = await openWebhook(
      (_, response) => {
        response.writeHead(code)
        response.end()
      },
    )
    await save()
    await deliver()
    clock.at += 3_600_000
    await save()
    await deliver()
    expect(requests).toHaveLength(1)
    expect(await readDelivery('webhook')).toMatchObject({
      state: 'waiting',
      lastError: expect.stringContaining('410 Gone'),
    })
    expect(await warn()).toContainEqual(expect.stringContaining('ALERT_WEBHOOK_URL'))
    // What `leads retry all` does.
    await removeSetting(db, 'stopped-webhook')
    code = 204
    clock.at += 3_600_000
    await deliver()
    await deliver()
    expect(requests).toHaveLength(3)
    expect(await warn()).toEqual([])
  })

  it('a redirect is not followed', async () => {
    const { requests, save, deliver, readDelivery } = await openWebhook(
      status(307, { location: '/secret' }),
    )
    await save()
    await deliver()
    expect(requests.map(({ path }) => path)).toEqual(['/hook'])
    expect((await readDelivery('webhook'))?.lastError).toMatch(/redirect \(307\)/)
  })

  it.each([
    [500, 'The webhook answered 500.'],
    [404, 'The webhook answered 404.'],
  ])('%s is tried again', async (code, error) => {
    const { save, deliver, readDelivery } = await openWebhook(status(code))
    await save()
    await deliver()
    expect(await readDelivery('webhook')).toMatchObject({ state: 'waiting', lastError: error })
  })

  it('refuses three leads beside twenty good ones: theirs alone, and no outage', async () => {
    const { requests, save, deliver, clock, log } = await openWebhook((_, response) => {
      response.writeHead(requests.at(-1)?.body.includes('Bad Lead') ? 400 : 200)
      response.end()
    })
    for (let at = 0; at < 20; at++) {
      if (at < 3) await save({ name: `Bad Lead ${at}` })
      await save()
      await deliver()
      clock.at += 5_000
    }
    const refused = requests.filter(({ body }) => body.includes('Bad Lead'))
    // In 100 s each is tried after 5, 10, 20 and 30 s, and once more with the first success.
    expect(refused.length).toBeLessThanOrEqual(3 * 7)
    const said = log.entries.filter(({ message }) => message !== 'delivered')
    expect(said.map(({ message }) => message)).toEqual(
      Array(3).fill('not delivered yet: it will be retried'),
    )
  })

  it('a body without end is not read', async () => {
    const { save, deliver, readDelivery } = await openWebhook((_, response) => {
      const pour = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', pour)
      }
      pour()
    })
    await save()
    await deliver()
    expect((await readDelivery('webhook'))?.state).toBe('sent')
  })

  it('a broken connection is tried again', async () => {
    const { save, deliver, readDelivery } = await openWebhook((request) => request.socket.destroy())
    await save()
    await deliver()
    expect((await readDelivery('webhook'))?.lastError).toMatch(/^The webhook could not be reached/)
  })
})

describe('by text message', () => {
  async function openSms(changed: Record<string, string> = {}) {
    const twilio = await startTwilioStandIn()
    onTestFinished(() => twilio.close())
    const opened = await open({ ...twilio.env, ALERT_SMS_TO: '+1 (555) 000-2222', ...changed })
    return { twilio, ...opened }
  }

  it('an alert arrives with the number to call and the link', async () => {
    const { twilio, save, deliver } = await openSms()
    await save()
    await deliver()
    expect(twilio.messages).toHaveLength(1)
    expect(twilio.messages[0]).toMatchObject({ to: '+15550002222', from: '+15550001111' })
    expect(twilio.messages[0]?.body).toMatch(/^Call Jane Doe by 12:10 PM CST\.\n/)
    expect(twilio.messages[0]?.body).toContain('Call 5551234567.')
    expect(twilio.messages[0]?.body).toContain('https://www.example.com/answer/')
  })

  it('each receiver is told once, although another cannot be reached', async () => {
    const { twilio, save, deliver, clock } = await openSms({
      ALERT_SMS_TO: '+15550002222,+15550003333',
    })
    twilio.nextFaults.push({ kind: 'refuse' })
    await save()
    await deliver()
    expect(twilio.messages).toHaveLength(1)
    clock.at += 10_000
    await deliver()
    clock.at += 900_000
    await deliver()
    expect(twilio.messages.map(({ to }) => to).sort()).toEqual(['+15550002222', '+15550003333'])
  })

  it.each([
    [{ kind: 'error', status: 401, code: 20003 }, /401, code 20003: check TWILIO_ACCOUNT_SID/],
    [{ kind: 'error', status: 400, code: 21211 }, /400, code 21211: a number of ALERT_SMS_TO/],
    [{ kind: 'error', status: 429, code: 20429 }, /429, code 20429: it asks to slow down/],
    [{ kind: 'html', status: 502 }, /^Twilio answered 502\.$/],
    [{ kind: 'refuse' }, /^Twilio could not be reached/],
  ] as const)('%j is a clear error without a number, and is tried again', async (fault, error) => {
    const { twilio, save, deliver, clock, readDelivery } = await openSms()
    twilio.nextFaults.push(fault)
    await save()
    await deliver()
    const lastError = (await readDelivery('sms'))?.lastError
    expect(lastError).toMatch(error)
    expect(lastError).not.toContain('555')
    clock.at += 10_000
    await deliver()
    expect(twilio.messages).toHaveLength(1)
  })

  it('a number that does not exist is no outage; a wrong sender is', async () => {
    const { twilio, save, deliver, log } = await openSms()
    twilio.nextFaults.push({ kind: 'error', status: 400, code: 21211 })
    await save()
    await deliver()
    await save()
    const wrongSender = { kind: 'error', status: 400, code: 21606 } as const
    twilio.nextFaults.push(wrongSender, wrongSender)
    await deliver()
    expect(log.entries.map(({ level }) => level)).toEqual(['warn', 'error'])
  })

  it('a wrong token is said in plain words', async () => {
    const { save, deliver, readDelivery } = await openSms({ TWILIO_AUTH_TOKEN: 'wrong' })
    await save()
    await deliver()
    expect((await readDelivery('sms'))?.lastError).toMatch(/TWILIO_AUTH_TOKEN/)
  })

  it('an answer that was cut off after 201 is an answer', async () => {
    const { twilio, save, deliver, readDelivery } = await openSms()
    twilio.nextFaults.push({ kind: 'cut-answer' })
    await save()
    await deliver()
    expect((await readDelivery('sms'))?.state).toBe('sent')
    expect(twilio.messages).toHaveLength(1)
  })
})

it('a webhook and a Twilio that never answer are given up when told to, or in time', async () => {
  const hang: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    )
  const lead = { ...jane, ...stored }
  const alert = describeAlert(lead, 'received', { now: start, timeZone: 'UTC' })
  const webhook = { url: 'https://hook.example', secret: undefined }
  expect(
    await sendWebhook(alert, lead, webhook, {
      fetch: hang,
      now: start,
      signal: AbortSignal.timeout(20),
    }),
  ).toEqual({
    ok: false,
    error: 'The webhook did not answer in time.',
  })
  const twilio = {
    accountSid: 'AC1',
    authToken: 't',
    from: '+15550001111',
    apiUrl: 'https://t.example',
  }
  expect(
    await sendSms(alert, '+15550002222', twilio, {
      fetch: hang,
      signal: AbortSignal.timeout(20),
    }),
  ).toEqual({
    ok: false,
    error: 'Twilio did not answer in time.',
  })
})

it('a row in Airtable is settled as there; what its Status waits for holds up nobody', async () => {
  const standIn = await startAirtableStandIn({ requestsPerWindow: 1000 })
  onTestFinished(() => standIn.close())
  const { save, deliver, clock, db } = await open({
    AIRTABLE_TOKEN: standIn.token,
    AIRTABLE_BASE_ID: standIn.baseId,
    AIRTABLE_API_URL: standIn.url,
  })
  await save()
  standIn.nextFaults.push(undefined, { kind: 'html', status: 502 })
  await deliver()
  const readStates = async () =>
    (await listLeads(db, { limit: 1 }))[0]?.deliveries.map(({ occasion, state }) => [
      occasion,
      state,
    ])
  expect(await readStates()).toEqual([
    ['received', 'sent'],
    ['status', 'waiting'],
  ])
  clock.at += 5_000
  await deliver()
  expect(await readStates()).toEqual([
    ['received', 'sent'],
    ['status', 'sent'],
  ])
  expect(standIn.records.map(({ fields }) => fields.Status)).toEqual(['New'])
})

describe('where a lead goes', () => {
  const settings = makeSettings({
    SMTP_URL: 'smtp://mail.example',
    ALERT_EMAIL_FROM: 'a@example.com',
    ALERT_EMAIL_TO: 'b@example.com,c@example.com',
    ALERT_WEBHOOK_URL: 'https://hook.example',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 't',
    TWILIO_FROM: '+15550001111',
    ALERT_SMS_TO: '+15550002222',
  })

  const namesOf = (wanted: string) =>
    listReceivers(settings)
      .filter(({ kind }) => kind === wanted)
      .map(({ name }) => name)
  const [sms] = namesOf('sms')
  const emails = namesOf('email')

  it('is every channel that is set up, and Airtable in any case', () => {
    expect(planDelivery(settings, { suspect: null }, start)).toEqual({
      channels: ['airtable', ...emails, 'webhook', sms],
      escalateAt: start + 240_000,
    })
    expect(planDelivery(makeSettings(), { suspect: null }, start).channels).toEqual(['airtable'])
  })

  it('is no phone when it looks like a robot’s, and nobody is reminded', () => {
    expect(planDelivery(settings, { suspect: 'trap' }, start)).toEqual({
      channels: ['airtable', ...emails, 'webhook'],
    })
  })
})

it('says what waits for channels that are no longer set up, by kind and not by receiver', async () => {
  const db = await openTestDatabase('sqlite')
  const backlog = [
    { channel: 'airtable', waiting: 3, oldestAt: start },
    { channel: 'email-0a1b2c3d', waiting: 2, oldestAt: start },
    { channel: 'email-4e5f6a7b', waiting: 1, oldestAt: start },
    { channel: 'webhook', waiting: 1, oldestAt: start },
  ]
  expect(await listWarnings(makeSettings(), db, backlog, start)).toEqual([
    '4 alerts wait for a receiver who is gone (email, webhook). npm run leads tells which, and how to drop them.',
  ])
})
