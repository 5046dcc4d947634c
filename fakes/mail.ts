import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A local SMTP server that stores every email. */

type ReceivedMail = {
  at: number
  from: string
  to: string[]
  headers: Map<string, string>
  subject: string
  text: string
  html: string
}

type Options = { secure?: boolean; user?: string; password?: string }

export async function startFakeMail({ secure = false, user, password }: Options = {}) {
  const mails: ReceivedMail[] = []
  const settings = {
    /** The reply codes for recipients that the server rejects. */
    refusedReceivers: new Map<string, number>(),
    /** If set, the server reads each email and then rejects it with this reply code. */
    refuseData: undefined as number | undefined,
    /** If set, the server rejects the sender with this reply code. */
    refuseSender: undefined as number | undefined,
    /** If set, the server calls this for each login and each email, and never replies. */
    hang: undefined as (() => void) | undefined,
  }

  const server = new SMTPServer({
    secure,
    // Without this, smtp-server prints a warning about its built-in certificate.
    logger: false,
    authOptional: user === undefined,
    disableReverseLookup: true,
    disabledCommands: user === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    // Prevents a sender's open connection from delaying the end of a test.
    closeTimeout: 50,
    onAuth: (auth, _session, done) => {
      if (settings.hang) return settings.hang()
      const isRight = auth.username === user && auth.password === password
      return isRight ? done(null, { user: 'crew' }) : done(refuse(535, 'Invalid login'))
    },
    onMailFrom: (_address, _session, done) =>
      done(settings.refuseSender ? refuse(settings.refuseSender, 'Sender rejected') : null),
    onRcptTo: ({ address }, _session, done) => {
      const code = settings.refusedReceivers.get(address)
      done(code ? refuse(code, `<${address}> is rejected`) : null)
    },
    onData: async (stream, session, done) => {
      // Ignore an incomplete email from a process that was killed.
      const raw = await buffer(stream).catch(() => undefined)
      if (raw === undefined) return
      if (settings.hang) return settings.hang()
      if (settings.refuseData) return done(refuse(settings.refuseData, 'Try again later'))
      const { mailFrom, rcptTo } = session.envelope
      const from = mailFrom ? mailFrom.address : ''
      mails.push({
        at: Date.now(),
        from,
        to: rcptTo.map(({ address }) => address),
        ...parse(raw.toString('latin1')),
      })
      done()
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const login = user === undefined ? '' : `${user}:${password}@`
  const url = `${secure ? 'smtps' : 'smtp'}://${login}127.0.0.1:${port}`
  return {
    url,
    /** Settings that make the product use this fake. */
    env: {
      SMTP_URL: url,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'crew@example.com',
    },
    mails,
    settings,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const refuse = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

function parse(raw: string) {
  const { headers, body } = splitPart(raw)
  const boundary = headers.get('content-type')?.match(/boundary="?([^";]+)/)?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.trimStart()))
  const find = (type: string) => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type))
    return part ? decodeBody(part.body, part.headers.get('content-transfer-encoding') ?? '') : ''
  }
  return {
    headers,
    subject: decodeWords(headers.get('subject') ?? ''),
    text: find('text/plain'),
    html: find('text/html'),
  }
}

function splitPart(raw: string) {
  const end = raw.indexOf('\r\n\r\n')
  const unfolded = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
  const headers = new Map(
    unfolded.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { headers, body: raw.slice(end + 4) }
}

function decodeBody(body: string, encoding: string): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? decodeQuoted(body) : body, 'latin1')
  return bytes.toString('utf8').replaceAll('\r\n', '\n')
}

const decodeQuoted = (text: string) =>
  text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Decodes Nodemailer's Q and B encodings. Decodes all words together, because a character may be split across two. */
const decodeWords = (text: string) =>
  text.replace(/(=\?utf-8\?[QB]\?[^?]*\?=\s*)+/gi, (words) =>
    Buffer.concat(
      [...words.matchAll(/\?([QB])\?([^?]*)\?=/gi)].map(([, kind, word = '']) =>
        kind?.toUpperCase() === 'B'
          ? Buffer.from(word, 'base64')
          : Buffer.from(decodeQuoted(word.replaceAll('_', ' ')), 'latin1'),
      ),
    ).toString(),
  )
