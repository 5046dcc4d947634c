import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { groupAddress } from '../supabase/functions/submit-to-airtable/client-address.ts'

/**
 * How long and how often one client may hold a connection. Without these, a few hundred connections
 * that send a byte now and then keep everyone else out.
 */
export type ConnectionLimits = {
  /** From the first byte to the end of the headers. */
  headersMs: number
  /** The whole request: 16 KB at most, so whoever takes longer holds a connection, not a form. */
  requestMs: number
  /** Nothing moves in either direction: the client does not read its answer. */
  idleMs: number
  checkEveryMs: number
  /**
   * At 1,024 sockets that are ready at once libuv stays with them, up to 48 rounds long, and sees
   * neither timers nor new connections meanwhile: measured, tens of seconds. With the sockets that
   * listen (doors.ts) and the database's it has to stay below.
   */
  connections: number
  /** Beyond them, for a proxy's question whether this process is there: full is not dead. */
  sparesForProxy: number
  /** More than any office has open at once, and too few to shut others out. */
  connectionsPerClient: number
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 60_000,
  checkEveryMs: 2_000,
  connections: 700,
  sparesForProxy: 20,
  connectionsPerClient: 100,
}

const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/**
 * `countsClients`: false behind a proxy, where all connections are the proxy's own. Gives back the
 * spare ones, on which nothing but /readyz is to be answered.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  { countsClients }: { countsClients: boolean },
): WeakSet<Socket> {
  server.headersTimeout = limits.headersMs
  server.requestTimeout = limits.requestMs
  server.setTimeout(limits.idleMs)
  const refuse = (socket: Socket) => {
    socket.write(refusal)
    socket.destroySoon()
  }
  const spares = new WeakSet<Socket>()
  const most = limits.connections + (countsClients ? 0 : limits.sparesForProxy)
  let openAtAll = 0
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    openAtAll += 1
    socket.once('close', () => {
      openAtAll -= 1
    })
    if (openAtAll > most) return refuse(socket)
    if (openAtAll > limits.connections) spares.add(socket)
    if (!countsClients) return
    const client = groupAddress(socket.remoteAddress ?? '')
    const count = (open.get(client) ?? 0) + 1
    open.set(client, count)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
    if (count > limits.connectionsPerClient) refuse(socket)
  })
  return spares
}
