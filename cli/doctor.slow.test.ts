import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeAirtable } from '#fakes/airtable.ts'
import { startFakeMail } from '#fakes/mail.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { findCaddy, startCaddy } from '#testing/caddy.ts'
import { buildCopy, copySources } from '#testing/copy-sources.ts'
import { findFreePort } from '#testing/processes.ts'
import { spawnProcess } from '#testing/server-process.ts'

async function runDoctor(env: Record<string, string>, checkout?: string) {
  const node = [...(checkout ? ['--env-file=.env'] : []), 'cli/doctor.ts']
  const ran = spawnProcess(process.execPath, node, env, { cwd: checkout ?? process.cwd() })
  return { code: await ran.exited, ...ran.output }
}

/** Replaces the sample content as the owner would. */
function replaceSamples(folder: string) {
  const file = join(folder, 'site/content.ts')
  const text = readFileSync(file, 'utf8')
    .replaceAll(/ *sample: true,/g, '')
    .replace('(555) 555-0124', '(612) 234-7810')
  writeFileSync(file, text)
}

test.skipIf(!findCaddy() && !process.env.CI)(
  'finds nothing to do once everything is set up',
  async () => {
    const folder = copySources('cli', 'server', 'supabase')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const port = await findFreePort()
    const [airtable, mail, twilio, caddy] = await Promise.all([
      startFakeAirtable(),
      startFakeMail(),
      startFakeTwilio(),
      startCaddy([`127.0.0.1:${port}`]),
    ])
    onTestFinished(async () => {
      await Promise.all([airtable.close(), mail.close(), twilio.close(), caddy.stop()])
    })
    const certificate = join(folder, 'root.crt')
    writeFileSync(certificate, caddy.ca)
    replaceSamples(folder)
    const secrets = { ...twilio.env, AIRTABLE_TOKEN: airtable.env.AIRTABLE_TOKEN }
    const settings: Record<string, string> = {
      ...secrets,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      ...airtable.env,
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'site@localhost',
      ALERT_EMAIL_TO: 'crew@roofing.test',
      CONFIRMATION_EMAIL: 'on',
      ALERT_SMS_TO: '+16125557810',
      PUBLIC_URL: `https://localhost:${caddy.httpsPort}`,
      TRUSTED_PROXIES: '1',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(join(folder, '.env'), lines.join(''))
    chmodSync(join(folder, '.env'), 0o600)
    buildCopy(folder)
    const start = ['--env-file=.env', 'server/main.ts']
    const server = spawnProcess(process.execPath, start, {}, { cwd: folder })
    await server.findUrl()
    mkdirSync(join(folder, 'data/backups'))
    writeFileSync(join(folder, 'data/backups/leads-20261115T030000Z.sqlite.gz'), 'a backup')

    const { code, stdout } = await runDoctor({ NODE_EXTRA_CA_CERTS: certificate }, folder)
    expect(stdout).not.toMatch(/^to do/m)
    expect(stdout).toContain('Nothing to do')
    expect(code).toBe(0)
    expect([mail.mails, twilio.messages, airtable.records]).toEqual([[], [], []])
    for (const secret of [...Object.values(secrets), 'crew@', '5557810'])
      expect(stdout).not.toContain(secret)

    // The server prints only the site's URL and that the desk is off.
    expect(server.output.stdout).toMatch(/^The site is at .+\nThe desk is off\. .+\n$/)

    const strangers = await runDoctor({}, folder)
    expect(strangers.code).toBe(1)
    expect(strangers.stdout).toContain('do not trust the certificate')
  },
)

test('waits for all hanging services at the same time, with a short timeout', async () => {
  const hanging = new Set<number>()
  let most = 0
  const startSilent = async (at: number) => {
    const server = createServer((socket) => {
      hanging.add(at)
      most = Math.max(most, hanging.size)
      socket.on('error', () => {}).on('close', () => hanging.delete(at))
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const [airtable, postgres, site] = await Promise.all([1, 2, 3].map(startSilent))
  const { code, stdout } = await runDoctor({
    AIRTABLE_API_URL: `http://${airtable}`,
    AIRTABLE_TOKEN: 'token',
    AIRTABLE_BASE_ID: 'app1',
    DATABASE_URL: `postgres://owner:password@${postgres}/leads`,
    PUBLIC_URL: `https://${site}`,
  })
  expect(most).toBe(3)
  expect(code).toBe(1)
  expect(stdout).toContain('Airtable didn’t respond in time')
  expect(stdout).toContain('The database cannot store or read leads')
  expect(stdout).toContain(`https://${site} does not show the page`)
})
