import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeMail } from '#fakes/mail.ts'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { postLead } from '#testing/app.ts'
import { createTestLog } from '#testing/log.ts'
import { waitUntil } from '#testing/processes.ts'
import { savePhone } from '#testing/saved-leads.ts'
import { formatMs, median, type Report } from './report.ts'
import { makeLead } from './visitors.ts'

const leads = 50

/** Measures the time from the submission of a lead until the push service and the mail server have its alert. */
export async function benchAlert(): Promise<Report[]> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'alert-'))
  const [push, mail] = await Promise.all([startFakePush(), startFakeMail()])
  const variables = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dir.path,
    RATE_LIMIT_PER_MINUTE: '0',
    PUSH_SERVICES: pushHost,
    ...mail.env,
  }
  const { endpoint, keys } = push.addPhone('crew')
  const db = await openDatabase({ dataDir: dir.path })
  await savePhone(db, { endpoint, ...keys, createdAt: Date.now() })
  await db.close()
  const site = await startSite({
    env: readEnv(variables),
    siteDir: 'dist',
    fetch: push.fetch,
    now: Date.now,
    log: createTestLog(),
  })
  const times: { answer: number; push: number; email: number }[] = []
  for (let sent = 1; sent <= leads; sent++) {
    // Send an emergency, because it causes an alert at any hour.
    const lead = { ...makeLead(`Visitor ${sent}`), serviceType: 'emergency' }
    const startAt = Date.now()
    await postLead(`http://127.0.0.1:${site.port}`, lead)
    const answer = Date.now() - startAt
    await waitUntil(() => push.messages.length === sent && mail.mails.length === sent)
    const [pushedAt = 0, mailedAt = 0] = [push.messages, mail.mails].map((all) => all.at(-1)?.at)
    times.push({ answer, push: pushedAt - startAt, email: mailedAt - startAt })
  }
  await site.stop()
  await Promise.all([push.close(), mail.close()])

  const names = {
    answer: 'confirmed to the visitor',
    push: 'at the push service',
    email: 'at the mail server',
  }
  return [
    {
      title: `A lead and its alerts, ${leads} leads one after another, SQLite`,
      head: ['after the request', 'median', 'longest'],
      rows: Object.entries(names).map(([name, words]) => {
        const each = times.map((time) => time[name as keyof typeof names])
        return [words, formatMs(median(each)), formatMs(Math.max(...each))]
      }),
    },
  ]
}
