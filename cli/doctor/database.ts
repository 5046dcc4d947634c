import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { HealthContext } from '#leads/health/check.ts'
import { readDatabaseFacts } from '#leads/health/find-problems.ts'
import type { Env } from '#leads/settings.ts'
import { findNewest, type PageVersion, readPublished } from '#leads/store/page-versions.ts'
import { openPostgres } from '#leads/store/postgres.ts'
import { checkWritable } from '#leads/store/save-lead.ts'
import { readConsent } from '#leads/store/stored-settings.ts'
import { checkTables, type Database, type Tables, type Transact } from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import { withTimeout } from '#leads/with-timeout.ts'
import { computeBackupDir, findNewestBackup } from '#server/backups.ts'
import { createSqliteKysely } from '#server/sqlite-dialect.ts'
import { type LocalContext, type RawEnv, readBackend } from './checks.ts'

type Found = Pick<HealthContext, 'database' | 'databaseFault'> &
  Pick<LocalContext, 'leadsAre' | 'unsafeSettings' | 'storedConsent'> & {
    pages?: PageVersion[]
  }

const timeoutMs = 8_000

/** Reads the database without creating or migrating it, because doctor must not change anything. */
export async function readDatabase(
  env: Env,
  raw: RawEnv,
  { now, consentVersion }: { now: () => number; consentVersion: string },
): Promise<Found> {
  const { databaseUrl, dataDir } = env
  if (databaseUrl === undefined) {
    if (readBackend(raw) !== undefined) return { leadsAre: 'elsewhere' }
    if (!existsSync(join(dataDir, 'leads.db'))) {
      const hasBackup = findNewestBackup(computeBackupDir(raw, dataDir)) !== undefined
      return { leadsAre: hasBackup ? 'gone' : 'missing' }
    }
  }
  let db: ReturnType<typeof openSqlite> | ReturnType<typeof openPostgres> | undefined
  try {
    const opened = databaseUrl
      ? openPostgres(databaseUrl, { leads: 1, others: 1 })
      : openSqlite(dataDir)
    db = opened
    return await withTimeout(timeoutMs, async () => {
      await checkTables(opened)
      await checkWritable(opened, now())
      const pages = await readPages(opened)
      return {
        leadsAre: 'here' as const,
        database: await readDatabaseFacts({ env, db: opened, now }),
        unsafeSettings: databaseUrl ? await listUnsafeSettings(opened) : [],
        // Skip this once a page has been published: publishing gives a changed consent text a new version.
        storedConsent: pages.some(({ isDraft }) => !isDraft)
          ? undefined
          : await readConsent(opened, consentVersion),
        pages,
      }
    })
  } catch (error) {
    if (error instanceof UserError) return { leadsAre: 'here', databaseFault: String(error.cause) }
    const { errstr = readErrorCode(error) } = error as { errstr?: string }
    return { leadsAre: 'here', databaseFault: errstr }
  } finally {
    // Do not wait for the database to close, because a server that hangs would block doctor.
    db?.close().catch(() => {})
  }
}

/** Reads the draft and all versions of the page, newest first. */
async function readPages(db: Database): Promise<PageVersion[]> {
  const newest = await findNewest(db)
  const pages = newest?.isDraft ? [newest] : []
  for await (const version of readPublished(db)) pages.push(version)
  return pages
}

async function listUnsafeSettings({ kysely }: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_settings
    where name in ('fsync', 'synchronous_commit') and setting = 'off' order by name`.execute(kysely)
  return rows.map(({ name }) => name)
}

function openSqlite(dataDir: string) {
  const sqlite = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 2_000 })
  const { kysely } = createSqliteKysely<Tables>(sqlite, 2_000)
  const transact: Transact = (work) => kysely.transaction().execute(work)
  return { engine: 'sqlite' as const, kysely, transact, close: async () => sqlite.close() }
}

/** Returns a code such as ENOTFOUND, because messages may contain passwords and host names. */
export function readErrorCode(error: unknown): string {
  const { code, cause, errors, name } = error as NodeJS.ErrnoException & Partial<AggregateError>
  // A timeout has a numeric code, which explains nothing.
  if (typeof code === 'string') return code
  const inner = errors?.[0] ?? cause
  return inner ? readErrorCode(inner) : (name ?? 'unknown error')
}
