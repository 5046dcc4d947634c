import { describeAlert } from '#leads/alerts/alert.ts'
import { createEmailSender } from '#leads/alerts/email.ts'
import { sendSms } from '#leads/alerts/text.ts'
import { sendWebhook } from '#leads/alerts/webhook.ts'
import type { Result } from '#leads/channel.ts'
import { type Env, isSet } from '#leads/settings.ts'
import { count } from '../terminal.ts'
import { cannotTell, type Finding, ok, toDo } from './check.ts'
import type { Given } from './settings.ts'

const send = 'npm run doctor -- --send'

/** Who would be told of a lead. Whether it arrives, only `--send` and a look at the phone can tell. */
export function checkAlerts(env: Env, given: Given, phones = 0): Finding {
  const { email, webhook, sms, notSetUp, escalateAfterMinutes } = env
  const halves = notSetUp.filter((sentence) => sentence.includes('half set up'))
  const channels = [
    ...(email ? [`e-mail (${count(email.to.length, 'receiver')})`] : []),
    ...(sms ? [`text message (${count(sms.to.length, 'receiver')})`] : []),
    ...(webhook ? ['webhook'] : []),
    ...(phones > 0 ? [`push (${count(phones, 'phone')} that ring)`] : []),
  ]
  const unheard = Object.entries({ ESCALATION_EMAIL_TO: email, ESCALATION_SMS_TO: sms })
  const others = '.env: the other variables of this channel'
  return [
    halves.map((says) => toDo(says, others)),
    unheard
      .filter(([name, channel]) => isSet(given[name]) && !channel)
      .map(([name]) => toDo(`${name} is set without its channel: nobody is reminded.`, others)),
    channels.length > 0 &&
      ok(
        `A new lead is told by ${channels.join(', ')}, with reminders after ${escalateAfterMinutes.join(' and ')} minutes.`,
      ),
    channels.length + halves.length === 0 &&
      toDo(
        'No alert is set up: nobody is told of a new lead.',
        'On the desk, People: Ring this phone. Or .env: SMTP_URL, ALERT_EMAIL_FROM and ALERT_EMAIL_TO, or the TWILIO_… group',
      ),
    channels.join() === 'webhook' &&
      cannotTell(
        'Whether a person sees what the webhook gets.',
        '.env: ALERT_EMAIL_TO or ALERT_SMS_TO beside it, unless one does',
      ),
  ]
}

export const proposeTests = ({ email, webhook, sms }: Env): Finding =>
  (email || webhook || sms) &&
  cannotTell('Whether an alert arrives.', `${send}   sends a test to each`)

// A mail server may take its time to greet; staff at the screen will not.
const sendTimeoutMs = 10_000

/** Sends a test through every channel to every receiver, all at once, and says what became of each. */
export function sendTests(
  env: Env,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Promise<Finding> {
  const { email, webhook, sms } = env
  const { lead, alert } = makeTest(env, now())
  const signal = AbortSignal.timeout(sendTimeoutMs)
  const sendToAll = (
    what: string,
    { to, escalationTo }: { to: string[]; escalationTo: string[] },
    sendTo: (receiver: string) => Promise<Result>,
  ) => report(what, [...new Set([...to, ...escalationTo])].map(sendTo))
  return Promise.all([
    email && sendToAll('e-mail', email, (to) => createEmailSender(email)(alert, to, signal)),
    sms && sendToAll('text message', sms, (to) => sendSms(alert, to, sms, { fetch, signal })),
    webhook &&
      report('webhook', [sendWebhook(alert, lead, webhook, { fetch, now: now(), signal })]),
  ])
}

async function report(what: string, sends: Promise<Result>[]): Promise<Finding> {
  const results = await Promise.all(sends)
  const errors = new Set(results.flatMap((result) => (result.ok ? [] : [result.error])))
  if (errors.size === 0)
    return ok(`Test by ${what}: taken for ${count(sends.length, 'receiver')}. Has it arrived?`)
  const next = `Fix it in .env, then ${send}`
  return [...errors].map((error) => toDo(`Test by ${what}: ${error}`, next))
}

function makeTest({ publicUrl, timeZone }: Env, at: number) {
  const lead = {
    id: `test-${at}`,
    name: 'TEST',
    email: 'nobody@example.com',
    phone: '(555) 555-0100',
    address: 'No address: this is a test',
    serviceType: '' as const,
    receivedAt: at,
    suspect: null,
    consent: null,
    source: null,
    answeredAt: null,
    answeredBy: null,
    answeredName: null,
    outcome: null,
  }
  const alert = {
    ...describeAlert(lead, 'received', { now: at, timeZone, answerUrl: `${publicUrl}/` }),
    occasion: 'test' as const,
    headline: 'TEST by npm run doctor: this works, and nobody needs a call',
  }
  return { lead, alert }
}
