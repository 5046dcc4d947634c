// From a lead's request to its alert in the receiver's hands: a real server process, a real SMTP
// server, a webhook and the stand-in for Twilio on this machine.
//   npm run bench:alerts -- [leads] [leads a second]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findPercentile, formatShare } from '../owner/promise-report.ts'
import { formatTable } from '../owner/terminal.ts'
import { startMailStandIn } from '../testing/mail-stand-in.ts'
import { startTwilioStandIn } from '../testing/twilio-stand-in.ts'

const leads = Number(process.argv[2] ?? 200)
const perSecond = Number(process.argv[3] ?? 5)
const wantedMs = 2_000
const wantedShare = 0.95

const mail = await startMailStandIn()
const twilio = await startTwilioStandIn()
const webhookCalls: { at: number; name: string }[] = []
const webhook = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  webhookCalls.push({ at: Date.now(), name: JSON.parse(body).data.lead.name })
  response.end()
})
await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))

const dataDir = mkdtempSync(join(tmpdir(), 'alert-lag-'))
const server = spawn(process.execPath, ['server.ts'], {
  cwd: join(import.meta.dirname, '..'),
  stdio: ['ignore', 'pipe', 'ignore'],
  env: {
    PATH: process.env.PATH,
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
    PUBLIC_URL: 'https://www.example.com',
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'alerts@example.com',
    ALERT_EMAIL_TO: 'staff@example.com',
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`,
    ...twilio.env,
    ALERT_SMS_TO: '+15550002222',
  },
})
const ended = once(server, 'exit')

try {
  let said = ''
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    said += chunk
    if (said.includes('http://localhost:')) break
  }
  const port = said.match(/http:\/\/localhost:(\d+)/)?.[1]
  if (!port) throw new Error('The server did not start. Is the site built? npm run build')
  await run(`http://127.0.0.1:${port}/functions/v1/submit-to-airtable`)
} finally {
  server.kill('SIGTERM')
  await ended
  await mail.close()
  await twilio.close()
  webhook.close()
  rmSync(dataDir, { recursive: true, force: true })
}

async function run(url: string): Promise<void> {
  const sentAt = new Map<string, number>()
  const post = async (name: string) => {
    sentAt.set(name, Date.now())
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
      body: JSON.stringify({
        name,
        email: 'jane@example.com',
        phone: '(555) 123-4567',
        address: '123 Main St, Springfield, IL 62701',
        serviceType: 'roof-repair',
      }),
    })
    if (status !== 200) throw new Error(`A lead was answered with ${status}.`)
  }
  const posts: Promise<void>[] = []
  for (let at = 0; at < leads; at++) {
    posts.push(post(`Lead ${String(at).padStart(5, '0')}`))
    await pause(1000 / perSecond)
  }
  await Promise.all(posts)
  const arrived = () => Math.min(mail.mails.length, twilio.messages.length, webhookCalls.length)
  for (const endAt = Date.now() + 30_000; arrived() < leads && Date.now() < endAt; ) await pause(50)

  const nameIn = (text: string) => text.match(/Lead \d{5}/)?.[0] ?? ''
  const handed = {
    email: mail.mails.map(({ at, subject }) => ({ at, name: nameIn(subject) })),
    webhook: webhookCalls,
    sms: twilio.messages.map(({ at, body }) => ({ at, name: nameIn(body) })),
  }
  let isWellDone = true
  const rows = Object.entries(handed).map(([channel, all]) => {
    const lags = all.map(({ at, name }) => at - (sentAt.get(name) ?? 0)).sort((a, b) => a - b)
    const share = lags.filter((ms) => ms <= wantedMs).length / leads
    const isOnce = new Set(all.map(({ name }) => name)).size === leads && all.length === leads
    isWellDone &&= share >= wantedShare && isOnce
    const percentile = (part: number) => `${findPercentile(lags, part) ?? '–'} ms`
    return [
      channel,
      `${all.length} of ${leads}${isOnce ? ', each once' : ''}`,
      formatShare(share),
      percentile(0.5),
      percentile(0.95),
      percentile(0.99),
      percentile(1),
    ]
  })
  const titles = ['Channel', 'Handed over', 'Within 2 s', 'Median', '95 %', '99 %', 'Slowest']
  process.stdout.write(
    `${leads} leads, ${perSecond} a second; from the request's start to the alert in the receiver's hands:\n\n`,
  )
  process.stdout.write(
    formatTable(
      titles.map((title) => ({ title, minWidth: title.length })),
      rows,
    ),
  )
  process.stdout.write(
    `\n${isWellDone ? 'Well done' : 'NOT well done'}: wanted are ${formatShare(wantedShare)} within 2 s, each once.\n`,
  )
  if (!isWellDone) process.exitCode = 1
}
