import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

/** Without these limits, a few hundred connections that send a byte now and then block all others. */
export const connectionLimits = {
  /** From the first byte to the end of the headers. */
  headersMs: 10_000,
  /** The whole request, which is 16 KB at most. */
  requestMs: 30_000,
  /** No data in either direction: the client does not read its answer. */
  idleMs: 60_000,
  /**
   * Must be longer than any proxy keeps an idle connection: if the server closed first, the proxy
   * could send a lead into a closing connection.
   */
  keepAliveForProxyMs: 75_000,
  checkEveryMs: 2_000,
  /** From 1,024 ready sockets on, libuv handles only these for many rounds: no timers, no new connections. */
  connections: 700,
  /** Bounds the work that one burst of pipelined requests can cause before the next limit closes it. */
  requestsPerConnection: 100,
  /** Browsers and proxies wait for each answer. Without this cap, 100 connections took 1,290 MB. */
  unansweredPerConnection: 10,
}

export type ConnectionLimits = typeof connectionLimits

/** Creates an HTTP server that closes slow and greedy connections. */
export function createLimitedServer(
  fetch: Parameters<typeof createAdaptorServer>[0]['fetch'],
  { behindProxy }: { behindProxy: boolean },
  limits: ConnectionLimits = connectionLimits,
): Server {
  const serverOptions = { connectionsCheckingInterval: limits.checkEveryMs }
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  server.headersTimeout = limits.headersMs
  server.requestTimeout = limits.requestMs
  server.setTimeout(limits.idleMs)
  if (behindProxy) server.keepAliveTimeout = limits.keepAliveForProxyMs
  server.maxConnections = limits.connections
  server.maxRequestsPerSocket = limits.requestsPerConnection
  // Node would answer 503, which reads like an outage.
  server.on('dropRequest', (_, socket) => socket.destroy())

  const unanswered = new WeakMap<Socket, number>()
  server.on('request', ({ socket }, response) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count > limits.unansweredPerConnection) socket.destroy()
  })
  return server
}
