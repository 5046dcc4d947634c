import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { engines } from '#testing/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { checkDatabase } from './database.ts'

test.skipIf(!engines.includes('postgres'))(
  'a PostgreSQL that keeps them is all right, with our tables',
  async () => {
    const server = await startPostgres({ durable: true })
    onTestFinished(() => server.remove())
    const env = readEnv({ DATABASE_URL: server.url })
    expect(await checkDatabase(env, {})).toMatchObject([
      { state: 'to do', says: expect.stringContaining('tables are missing') },
    ])
    await (await openDatabase({ dataDir: '', databaseUrl: server.url })).close()
    expect(await checkDatabase(env, {})).toMatchObject([
      { state: 'ok', says: expect.stringMatching(/^PostgreSQL \d+/) },
    ])
    await server.stop()
    const [gone] = await checkDatabase(env, {})
    expect(gone).toMatchObject({ state: 'to do', says: expect.stringContaining('ECONNREFUSED') })
  },
)
