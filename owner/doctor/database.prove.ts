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
    const look = () => checkDatabase(readEnv({ DATABASE_URL: server.url }), {})
    const says = expect.stringContaining('tables are missing')
    expect(await look()).toMatchObject({ state: 'to do', says })
    await (await openDatabase({ dataDir: '', databaseUrl: server.url })).close()
    const version = expect.stringMatching(/^PostgreSQL \d+/)
    expect(await look()).toMatchObject({ state: 'ok', says: version })
    await server.stop()
    const refused = expect.stringContaining('ECONNREFUSED')
    expect(await look()).toMatchObject({ state: 'to do', says: refused })
  },
)
