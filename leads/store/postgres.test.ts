import { connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres } from './postgres.ts'

const url = inject('postgresUrl')

/** The server, behind a wire that can be cut. */
async function putWireBefore(server: URL) {
  const sockets = new Set<Socket>()
  const wire = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void wire.close())
  const address = wire.address()
  const through = new URL(server)
  through.host = `127.0.0.1:${typeof address === 'object' && address?.port}`
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { url: through.href, cut }
}

test.skipIf(!url)(
  'a connection cut in the middle of a query fails that query and nothing else',
  async () => {
    const wire = await putWireBefore(new URL(url ?? ''))
    const db = openPostgres(wire.url)
    onTestFinished(() => db.close())
    await sql`select 1`.execute(db.kysely)
    const query = sql`select pg_sleep(10)`.execute(db.kysely)
    setTimeout(wire.cut, 100)
    await expect(query).rejects.toThrow()
    expect((await sql<{ one: number }>`select 1 as one`.execute(db.kysely)).rows).toEqual([
      { one: 1 },
    ])
  },
)
