import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { findNetwork, groupAddress } from '#leads/client-address.ts'

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
  /** At 1,024 ready sockets libuv stays with them for many rounds and sees neither timers nor newcomers. */
  connections: number
  /** A browser opens six. */
  connectionsPerClient: number
  /** Seven of them fill the server: against more, a proxy belongs in front. */
  connectionsPerNetwork: number
  requestsPerConnection: number
  /** Browsers and proxies wait for each answer; what is not read stays in memory. */
  unansweredPerConnection: number
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 60_000,
  checkEveryMs: 2_000,
  connections: 700,
  connectionsPerClient: 50,
  connectionsPerNetwork: 100,
  requestsPerConnection: 100,
  unansweredPerConnection: 10,
}

const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** `countsClients`: false behind a proxy, where all connections are the proxy's own. */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  { countsClients }: { countsClients: boolean },
): void {
  server.headersTimeout = limits.headersMs
  server.requestTimeout = limits.requestMs
  server.setTimeout(limits.idleMs)
  server.maxConnections = limits.connections
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.on('dropRequest', (_, socket) => socket.destroy())

  // Weak: answers that a broken connection never got are not all told so.
  const unanswered = createCount<object>(new WeakMap())
  server.on('request', ({ socket }, response) => {
    const count = unanswered.add(socket)
    response.once('close', () => unanswered.remove(socket))
    if (count > limits.unansweredPerConnection) socket.destroy()
  })

  if (!countsClients) return
  const open = createCount<string>(new Map())
  server.on('connection', (socket: Socket) => {
    const client = groupAddress(socket.remoteAddress ?? '')
    const network = `network ${findNetwork(client)}`
    const [ofClient, ofNetwork] = [open.add(client), open.add(network)]
    socket.once('close', () => {
      open.remove(client)
      open.remove(network)
    })
    if (ofClient <= limits.connectionsPerClient && ofNetwork <= limits.connectionsPerNetwork) return
    socket.write(refusal)
    socket.destroySoon()
  })
}

type Counts<Item> = {
  get(item: Item): number | undefined
  set(item: Item, count: number): unknown
  delete(item: Item): boolean
}

function createCount<Item>(counts: Counts<Item>) {
  return {
    add(item: Item): number {
      const count = (counts.get(item) ?? 0) + 1
      counts.set(item, count)
      return count
    },
    remove(item: Item): void {
      const left = (counts.get(item) ?? 1) - 1
      if (left > 0) counts.set(item, left)
      else counts.delete(item)
    },
  }
}
