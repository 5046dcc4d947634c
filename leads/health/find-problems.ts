import { channels, listDestinations } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { isErasing } from '../store/erase-lead.ts'
import {
  type Pending,
  readPending,
  readUndelivered,
  type Undelivered,
} from '../store/find-leads.ts'
import { findConfirmationLimit } from '../store/limits.ts'
import { listDevices, listSilentDevices } from '../store/push-devices.ts'
import { listLimitedAddresses } from '../store/sign-in.ts'
import { readMailFault } from '../store/stored-settings.ts'
import { dayMs } from '../time-units.ts'
import {
  type DatabaseFacts,
  type HealthContext,
  listProblems,
  type Place,
  type Problem,
} from './check.ts'
import { healthChecks } from './checks.ts'

export async function findProblems(
  place: Place,
  context: Pick<Context, 'env' | 'hours' | 'db' | 'now'>,
  facts: Pick<HealthContext, 'machine' | 'databaseFault' | 'pageFault'> = {},
): Promise<Problem[]> {
  const { env, hours, db, now } = context
  return listProblems(healthChecks, place, {
    ...facts,
    env,
    hours: hours(),
    now: now(),
    isPublic: env.publicUrl.startsWith('https://'),
    database: facts.databaseFault === undefined ? await readDatabaseFacts(context) : undefined,
    isFileGone: db.isFileGone?.(),
  })
}

export async function readDatabaseFacts({
  env,
  db,
  now,
}: Pick<Context, 'env' | 'db' | 'now'>): Promise<DatabaseFacts> {
  const devices = await listDevices(db, { ...env, now: now() })
  const pending = new Map<string, Pending>()
  const undelivered = new Map<string, Undelivered>()
  for (const channel of channels) {
    // Ignore deliveries to removed recipients; they expire.
    const found = await listDestinations(channel, { env, readDevices: async () => devices })
    const names = found.map(({ name }) => name)
    const waiting = await readPending(db, names, now())
    if (waiting) pending.set(channel.kind, waiting)
    const failed = channel.findArrival && (await readUndelivered(db, names, now() - dayMs))
    if (failed) undelivered.set(channel.kind, failed)
  }
  const silentDevices = await listSilentDevices(db, devices, now())
  return {
    devices,
    silentDevices,
    pending,
    undelivered,
    limitedAddresses: await listLimitedAddresses(db, now()),
    confirmationLimit: await findConfirmationLimit(db, now()),
    mailFault: env.email && (await readMailFault(db)),
    isErasing: await isErasing(db),
  }
}
