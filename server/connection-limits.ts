import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { findNetwork, groupAddress } from '#leads/client-address.ts'

/**
 * How long and how often one client may hold a connection. Without these, a few hundred connections
 * that send a byte now and then keep everyone else out.
 */
export const connectionLimits = {
  /** From the first byte to the end of the headers. */
  headersMs: 10_000,
  /** The whole request: it has 16 KB at most, so a slower client holds a connection, not a form. */
  requestMs: 30_000,
  /** Nothing moves in either direction: the client does not read its answer. */
  idleMs: 60_000,
  /**
   * A proxy's connection between two requests: longer than any proxy keeps it. Whoever closes first
   * must be the proxy, or it sends a lead into a connection that is being closed.
   */
  keptForProxyMs: 75_000,
  checkEveryMs: 2_000,
  /** At 1,024 ready sockets libuv stays with them for many rounds and sees neither timers nor newcomers. */
  connections: 700,
  /** A browser opens six. */
  connectionsPerClient: 50,
  /** Seven of them fill the server: against more, a proxy belongs in front. */
  connectionsPerNetwork: 100,
  requestsPerConnection: 100,
  /** Browsers and proxies wait for each answer; what is not read stays in memory. */
  unansweredPerConnection: 10,
}

export type ConnectionLimits = typeof connectionLimits

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
  if (!countsClients) server.keepAliveTimeout = limits.keptForProxyMs
  server.maxConnections = limits.connections
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.on('dropRequest', (_, socket) => socket.destroy())

  const unanswered = new Map<Socket, number>()
  server.on('request', ({ socket }, response) => {
    response.once('close', () => count(unanswered, socket, -1))
    if (count(unanswered, socket, 1) > limits.unansweredPerConnection) socket.destroy()
  })

  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    // Answers that a broken connection never got are not all told so.
    socket.once('close', () => unanswered.delete(socket))
    if (!countsClients) return
    const client = groupAddress(socket.remoteAddress ?? '')
    const network = `network ${findNetwork(client)}`
    const [ofClient, ofNetwork] = [count(open, client, 1), count(open, network, 1)]
    socket.once('close', () => {
      count(open, client, -1)
      count(open, network, -1)
    })
    if (ofClient <= limits.connectionsPerClient && ofNetwork <= limits.connectionsPerNetwork) return
    socket.write(refusal)
    socket.destroySoon()
  })
}

function count<Item>(counts: Map<Item, number>, item: Item, change: 1 | -1): number {
  const changed = (counts.get(item) ?? 0) + change
  if (changed > 0) counts.set(item, changed)
  else counts.delete(item)
  return changed
}
