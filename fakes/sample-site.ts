import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPageKey } from '#cli/doctor/site-checks.ts'
import type { Log } from '#leads/log.ts'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { findFreePort } from '#testing/processes.ts'
import { startFakeAirtable } from './airtable.ts'
import { startFakeMail } from './mail.ts'
import { pushHost, startFakePush } from './push.ts'
import { addSampleLeads } from './sample-leads.ts'

type Options = {
  /** For this and `deskPort`, 0 means any free port. */
  port?: number
  deskPort?: number
  /** Stops the clock at this time. */
  at?: number
  log: Log
}

/**
 * Runs the built site with a temporary database, sample leads, one phone, and fakes for Airtable, email, and push
 * notifications. It ignores the owner's settings, except for the key that is built into the page.
 */
export async function startSampleSite({ port = 0, deskPort = 0, at, log }: Options) {
  const dataDir = mkdtempSync(join(tmpdir(), 'roofing-demo-'))
  const clock = { at: at ?? Date.now() }
  let now = () => clock.at
  const [airtable, mail, push] = await Promise.all([
    startFakeAirtable({ now: () => now() }),
    startFakeMail(),
    startFakePush(),
  ])
  const closeAll = async () => {
    await Promise.all([airtable.close(), mail.close(), push.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const sitePort = port === 0 ? await findFreePort() : port
    const variables = {
      PORT: String(sitePort),
      PUBLIC_URL: `http://localhost:${sitePort}`,
      HOST: '127.0.0.1',
      DESK_PORT: String(deskPort === 0 ? await findFreePort() : deskPort),
      DATA_DIR: dataDir,
      SUPABASE_ANON_KEY: readPageKey(process.env),
      ...airtable.env,
      ...mail.env,
      CONFIRMATION_EMAIL: 'on',
      PUSH_SERVICES: pushHost,
    }
    const env = readEnv(variables)
    const db = await openDatabase({ dataDir })
    await addSampleLeads(db, { env, push, clock })
    await db.close()
    if (at === undefined) now = Date.now
    const site = await startSite({ env, siteDir: 'dist', fetch: push.fetch, now: () => now(), log })
    const stop = () => site.stop().finally(closeAll)
    return { site, airtable, mail, push, stop }
  } catch (error) {
    await closeAll()
    throw error
  }
}
