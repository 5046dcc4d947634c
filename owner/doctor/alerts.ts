import { describeAlert } from '#leads/alerts/alert.ts'
import { createEmailSender } from '#leads/alerts/email.ts'
import { sendSms } from '#leads/alerts/text.ts'
import { sendWebhook } from '#leads/alerts/webhook.ts'
import type { Result } from '#leads/channel.ts'
import type { Env } from '#leads/settings.ts'
import { count } from '../terminal.ts'
import { cannotTell, type Finding, ok, toDo } from './check.ts'

const send = 'npm run doctor -- --send'

/** Who would be told of a lead. Whether it arrives, only `--send` and a look at the phone can tell. */
export function checkAlerts({ email, webhook, sms, notSetUp }: Env): Finding {
  const halves = notSetUp.filter((sentence) => sentence.includes('half set up'))
  const channels = [
    ...(email ? [`e-mail (${count(email.to.length, 'receiver')})`] : []),
    ...(sms ? [`text message (${count(sms.to.length, 'receiver')})`] : []),
    ...(webhook ? ['webhook'] : []),
  ]
  return [
    halves.map((says) => toDo('alerts', says, '.env: the variables that are missing')),
    channels.length > 0 && ok('alerts', `A new lead is told by ${channels.join(', ')}.`),
    channels.length + halves.length === 0 &&
      toDo(
        'alerts',
        'No alert is set up: nobody is told of a new lead.',
        '.env: SMTP_URL, ALERT_EMAIL_FROM and ALERT_EMAIL_TO, or the TWILIO_… group',
      ),
    channels.join() === 'webhook' &&
      cannotTell(
        'alerts',
        'Whether a person sees what the webhook gets.',
        '.env: ALERT_EMAIL_TO or ALERT_SMS_TO beside it, unless one does',
      ),
    webhook &&
      !webhook.secret &&
      cannotTell(
        'webhook',
        'Whether the webhook checks who calls: no ALERT_WEBHOOK_SECRET is set.',
        '.env: ALERT_WEBHOOK_SECRET, unless it is Slack or the like',
      ),
  ]
}

export const proposeTests = ({ email, webhook, sms }: Env): Finding =>
  (email || webhook || sms) &&
  cannotTell('test alerts', 'Whether an alert arrives.', `${send}   sends a test to each`)

// A mail server may take its time to greet; staff at the screen will not.
const sendTimeoutMs = 10_000

/** Sends a test through every channel to every receiver, all at once, and says what became of each. */
export async function sendTests(
  env: Env,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Promise<Finding> {
  const { email, webhook, sms } = env
  const at = now()
  const { lead, alert } = makeTest(env, at)
  const signal = AbortSignal.timeout(sendTimeoutMs)
  const listReceivers = (group: { to: string[]; escalationTo: string[] }) => [
    ...new Set([...group.to, ...group.escalationTo]),
  ]
  const sent: Promise<Finding>[] = []
  if (email) {
    const sendEmail = createEmailSender(email)
    const mails = listReceivers(email).map((to) => sendEmail(alert, to, signal))
    sent.push(report('e-mail', mails))
  }
  if (sms) {
    const texts = listReceivers(sms).map((to) => sendSms(alert, to, sms, { fetch, signal }))
    sent.push(report('text message', texts))
  }
  if (webhook) {
    const call = sendWebhook(alert, lead, webhook, { fetch, now: at, signal })
    sent.push(report('webhook', [call]))
  }
  return Promise.all(sent)
}

function makeTest({ publicUrl, timeZone }: Env, at: number) {
  const lead = {
    id: `test-${at}`,
    name: 'TEST by npm run doctor',
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
    id: `${lead.id}_test`,
    occasion: 'test' as const,
    headline: 'TEST: this works, and nobody needs a call',
    remarks: ['A test by npm run doctor; its link leads to the site.'],
  }
  return { lead, alert }
}

async function report(what: string, sends: Promise<Result>[]): Promise<Finding> {
  const results = await Promise.all(sends)
  const errors = new Set(results.flatMap((result) => (result.ok ? [] : [result.error])))
  const taken = `Test by ${what}: taken for ${count(sends.length, 'receiver')}. Has it arrived?`
  if (errors.size === 0) return ok('test alerts', taken)
  return [...errors].map((error) =>
    toDo('test alerts', `Test by ${what}: ${error}`, `Fix it in .env, then ${send}`),
  )
}
