import {
  answerHtml,
  type Call,
  type HttpFault,
  type HttpHandler,
  type Reply,
  startHttpFake,
} from './http.ts'

/** A fake for the parts of Twilio's API that send a text message and return its status. It has Twilio's errors. */

type TwilioFault =
  | HttpFault
  | { kind: 'error'; status: number; code: number; headers?: Record<string, string> }

type TextMessage = {
  sid: string
  at: number
  to: string
  from: string
  body: string
  /** Why the carrier rejects the message, such as 30034. */
  errorCode?: number | undefined
}

// The ages at which a message is sent and at which the carrier reports the result. The product's first check comes
// between them, and its second check after both.
const sentAfterMs = 2_000
const settledAfterMs = 10_000

const accountSid = `AC${'0123456789abcdef'.repeat(2)}`
const authToken = 'fedcba9876543210fedcba9876543210'
const from = '+15550001111'

type Options = {
  now?: () => number
  chooseErrorCode?: (message: { to: string; body: string }) => number | undefined
}

export function createFakeTwilio({ now = Date.now, chooseErrorCode }: Options = {}) {
  const messages: TextMessage[] = []
  const statusReads: string[] = []
  const handler: HttpHandler<TwilioFault> = {
    answer(call, fault) {
      if (fault?.kind === 'html') return answerHtml(fault.status)
      if (fault?.kind === 'error') {
        const { status, code, headers = {} } = fault
        return { ...refuse(status, code, 'Rejected for +15551230000'), headers }
      }
      const refused = findRefusal(call)
      if (refused) return refused
      if (call.method === 'GET') return answerStatus(call)
      const { to, sender, body } = readMessage(call)
      const sid = `SM${String(messages.length + 1).padStart(32, '0')}`
      const message = { sid, at: now(), to, from: sender, body }
      messages.push({ ...message, errorCode: chooseErrorCode?.(message) })
      return { status: 201, body: { sid, to, from: sender, body, status: 'queued' } }
    },
  }
  function answerStatus({ url }: Call): Reply {
    statusReads.push(url.pathname)
    const message = messages.find(({ sid }) => url.pathname.endsWith(`/Messages/${sid}.json`))
    if (!message) return refuse(404, 20404, `The requested resource ${url.pathname} was not found`)
    const { at, errorCode, ...rest } = message
    const ageMs = now() - at
    const end = errorCode ? 'undelivered' : 'delivered'
    const status = ageMs < sentAfterMs ? 'queued' : ageMs < settledAfterMs ? 'sent' : end
    const code = status === 'undelivered' ? errorCode : null
    return { status: 200, body: { ...rest, status, error_code: code, error_message: null } }
  }
  return {
    handler,
    /** Settings that make the product use this fake. */
    makeEnv: (url: string) => ({
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_FROM: from,
      TWILIO_API_URL: url,
    }),
    messages,
    /** The paths of the requests for a message's status. */
    statusReads,
  }
}

export async function startFakeTwilio(options?: Options) {
  const fake = createFakeTwilio(options)
  const server = await startHttpFake(fake.handler)
  return { ...fake, ...server, env: fake.makeEnv(server.url) }
}

function readMessage({ text }: Call) {
  const form = new URLSearchParams(text)
  return {
    to: form.get('To') ?? '',
    sender: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
    body: form.get('Body') ?? '',
  }
}

function findRefusal(call: Call): Reply | undefined {
  const [, version, accounts, sid, ...rest] = call.url.pathname.split('/')
  const last = call.method === 'GET' ? /^Messages\/[^/]+\.json$/ : /^Messages\.json$/
  if (version !== '2010-04-01' || accounts !== 'Accounts' || !last.test(rest.join('/')))
    return refuse(404, 20404, `The requested resource ${call.url.pathname} was not found`)
  const login = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  if (sid !== accountSid || call.headers.authorization !== `Basic ${login}`)
    return refuse(401, 20003, 'Authenticate')
  if (call.method === 'GET') return undefined
  if (call.method !== 'POST') return refuse(405, 20004, 'Method not allowed')
  const { to, sender, body } = readMessage(call)
  const refusals: [is: boolean, code: number, message: string][] = [
    [!to, 21604, "A 'To' phone number is required."],
    [!/^\+[1-9]\d{6,14}$/.test(to), 21211, `The 'To' number ${to} is not a valid phone number.`],
    [!sender, 21603, "A 'From' phone number is required."],
    [!/^MG/.test(sender) && sender !== from, 21606, `The 'From' number ${sender} is not yours.`],
    [!body, 21602, 'Message body is required.'],
    [body.length > 1600, 21617, 'The message is over 1600 characters.'],
  ]
  const [, code, message] = refusals.find(([is]) => is) ?? []
  return code && message ? refuse(400, code, message) : undefined
}

const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})
