import type { Context, Hono } from 'hono'
import { eraseEverywhere } from '../delivery/erase-everywhere.ts'
import { mapReceivers } from '../delivery/receivers.ts'
import type { Log } from '../log.ts'
import type { Env } from '../settings.ts'
import { listDevices } from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'
import { UserError } from '../user-error.ts'
import { createDesk } from './app.ts'
import { findTrouble } from './health.ts'
import { mailLink } from './mail-link.ts'
import type { Route } from './routes.ts'
import type { Today } from './today.ts'

// Several phones ask every two seconds; what is wrong does not change that fast.
const troubleReuseMs = 5_000

/** Wires the desk. It runs beside the site or by itself, on the same database. */
export function createDeskService({
  env,
  db,
  fetch,
  now,
  log,
  company,
  findClientAddress,
  sendPage,
  findMachineTrouble,
  wake,
}: {
  env: Env & { desk: NonNullable<Env['desk']> }
  db: Database
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
  company: string
  findClientAddress: (c: Context) => string
  sendPage: (c: Context, today: Today | undefined) => Response
  /** What is wrong with the machine and the site on it, in sentences. */
  findMachineTrouble: () => Promise<string[]>
  /** Deliveries may be due. */
  wake: () => void
}): { app: Hono; routes: readonly Route[] } {
  const { desk, smtp, airtable, timeZone, escalateAfterMinutes, push } = env
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  let last: { at: number; trouble: Promise<string[]> } | undefined
  return createDesk({
    ...desk,
    db,
    timeZone,
    now,
    log,
    wake,
    findClientAddress,
    sendPage,
    fetch,
    push: { ...push, deskUrl: desk.url },
    escalateAfterMinutes,
    findReceivers: async () => mapReceivers(env, await listDevices(db)),
    sendLink: smtp && ((email, link) => mailLink(email, link, { ...smtp, company })),
    findWarnings: () => {
      if (!last || now() - last.at >= troubleReuseMs) {
        const both = Promise.all([
          findTrouble(env, db, now()),
          findMachineTrouble().catch(() => []),
        ])
        last = { at: now(), trouble: both.then((all) => all.flat()) }
      }
      return last.trouble
    },
    erase: async (leadId) => {
      const rows = await eraseEverywhere(leadId, { db, airtable, fetch, pause, now }).catch(explain)
      return rows
        ? 'Erased, in Airtable too. Airtable keeps deleted rows in its trash for some days: empty it.'
        : 'Erased.'
    },
  })
}

/** What only the command line can do is no advice here. */
function explain(error: Error): never {
  if (!(error instanceof UserError)) throw error
  throw new UserError(error.message.replace(/,? or erase it here only with --store-only/, ''))
}
