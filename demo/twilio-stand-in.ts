import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Twilio on this machine: the one call that sends a text message, its refusals and its bad days. */

export type TwilioFault =
  | { kind: 'error'; status: number; code: number }
  /** A gateway's page instead of Twilio's JSON. */
  | { kind: 'html'; status: number }
  | { kind: 'slow'; delayMs: number }
  /** Nothing is done and the connection breaks. */
  | { kind: 'refuse' }
  /** The message goes out, and half of the answer arrives. */
  | { kind: 'cut-answer' }
  /** No answer ever comes. */
  | { kind: 'hang' }

export type TextMessage = { at: number; to: string; from: string; body: string }

export type TwilioStandIn = Awaited<ReturnType<typeof startTwilioStandIn>>

export async function startTwilioStandIn() {
  const accountSid = `AC${'0123456789abcdef'.repeat(2)}`
  const authToken = 'fedcba9876543210fedcba9876543210'
  const from = '+15550001111'
  const messages: TextMessage[] = []
  const requests: { at: number; path: string; status: number }[] = []
  const nextFaults: TwilioFault[] = []

  const describe = (status: number, code: number, message: string) => ({
    status,
    body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  })

  function answer(request: IncomingMessage, form: URLSearchParams) {
    const [, version, accounts, sid, last] = (request.url ?? '').split('/')
    if (version !== '2010-04-01' || accounts !== 'Accounts' || last !== 'Messages.json')
      return describe(404, 20404, `The requested resource ${request.url} was not found`)
    const login = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
    if (sid !== accountSid || request.headers.authorization !== `Basic ${login}`)
      return describe(401, 20003, 'Authenticate')
    if (request.method !== 'POST') return describe(405, 20004, 'Method not allowed')
    const to = form.get('To') ?? ''
    const sender = form.get('From') ?? form.get('MessagingServiceSid') ?? ''
    const body = form.get('Body') ?? ''
    if (!to) return describe(400, 21604, "A 'To' phone number is required.")
    if (!/^\+[1-9]\d{6,14}$/.test(to))
      return describe(400, 21211, `The 'To' number ${to} is not a valid phone number.`)
    if (!sender) return describe(400, 21603, "A 'From' phone number is required.")
    if (!sender.startsWith('MG') && sender !== from)
      return describe(400, 21606, `The 'From' number ${sender} is not yours.`)
    if (!body) return describe(400, 21602, 'Message body is required.')
    if (body.length > 1600) return describe(400, 21617, 'The message is over 1600 characters.')
    messages.push({ at: Date.now(), to, from: sender, body })
    return {
      status: 201,
      body: {
        sid: `SM${randomBytes(16).toString('hex')}`,
        account_sid: accountSid,
        to,
        from: sender,
        body,
        status: 'queued',
        num_segments: String(Math.ceil(body.length / 153)),
        error_code: null,
        error_message: null,
      },
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const fault = nextFaults.shift()
    const entry = { at: Date.now(), path: request.url ?? '', status: 0 }
    requests.push(entry)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'refuse') return request.socket.destroy()
    if (fault?.kind === 'html') {
      entry.status = fault.status
      response.writeHead(fault.status, { 'content-type': 'text/html' })
      return response.end('<html><body><h1>Bad Gateway</h1></body></html>')
    }
    const { status, body } =
      fault?.kind === 'error'
        ? describe(fault.status, fault.code, 'Refused for +15551230000')
        : answer(request, new URLSearchParams(text))
    entry.status = status
    if (fault?.kind === 'slow')
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs).unref())
    const json = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
    })
    if (fault?.kind === 'cut-answer') {
      response.write(json.slice(0, json.length / 2), () => request.socket.destroy())
      return
    }
    response.end(json)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** What the product must be set to. */
    env: {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_FROM: from,
      TWILIO_API_URL: url,
    },
    messages,
    requests,
    nextFaults,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
