import { readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { findBackupDir } from '#server/backups.ts'
import { explainError } from './terminal.ts'

type CommandDeps = {
  variables: Record<string, string | undefined>
  now: number
  stdout: (text: string) => void
  stderr: (text: string) => void
}

const ofProcess = (): CommandDeps => ({
  variables: process.env,
  now: Date.now(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})

/** What backup and restore have in common; `failure` begins the sentence when it was not done. */
export const createCommand =
  (failure: string, run: (args: string[], deps: CommandDeps) => Promise<string>) =>
  async (args: string[], deps = ofProcess()): Promise<number> => {
    try {
      deps.stdout(await run(args, deps))
      return 0
    } catch (error) {
      deps.stderr(`${failure}: ${explainError(error)}\n`)
      return 1
    }
  }

/** Where the database and its backups are. PostgreSQL has trusted tools of its own. */
export function findPlaces(variables: CommandDeps['variables']) {
  const { databaseUrl, dataDir } = readEnv(variables)
  if (databaseUrl) throw new UserError(usePostgresTools)
  return { dataDir, backupDir: findBackupDir(variables, dataDir) }
}

export const usePostgresTools =
  'DATABASE_URL names a PostgreSQL, which pg_dump and pg_restore copy: see docs/hosting.md, Backup and restore.'
