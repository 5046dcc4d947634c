import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mapReceivers } from '#leads/delivery/receivers.ts'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'

/** What the owner's variables name. A database that is not there is not made. */
export async function openLeads(variables: Record<string, string | undefined>) {
  const env = readEnv(variables)
  const { airtable, timeZone, databaseUrl, dataDir, desk } = env
  const isThere = databaseUrl !== undefined || existsSync(join(dataDir, 'leads.db'))
  const db = isThere ? await openDatabase(env) : undefined
  return { db, dataDir, airtable, receivers: mapReceivers(env), timeZone, desk }
}
