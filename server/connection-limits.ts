import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

/** Without these limits, a few hundred slow connections could block every other visitor. */
export const connectionLimits = {
  /** From the first byte to the end of the headers. */
  headersMs: 10_000,
  /** The whole request, including its body. */
  requestMs: 30_000,
  /** No data in either direction, such as when a client stops reading the response. */
  idleMs: 60_000,
  /**
   * Must exceed every proxy's idle timeout. If the server closed first, the proxy could send a lead over a
   * closing connection.
   */
  keepAliveForProxyMs: 75_000,
  /** How long an unused connection stays open while the server is stopping. */
  unusedMs: 1_000,
  /** How long to receive the rest of a rejected body before the connection closes. */
  lingerMs: 500,
  checkEveryMs: 2_000,
  /** With 1,024 or more ready sockets, libuv starves timers and new connections. */
  connections: 700,
  /** Caps the requests of one pipelined burst that are handled before unansweredPerConnection closes the connection. */
  requestsPerConnection: 100,
  /** Browsers and proxies do not pipeline. Without this cap, 100 connections can use 1,290 MB. */
  unansweredPerConnection: 10,
}

export type ConnectionLimits = typeof connectionLimits

/** Creates an HTTP server that closes slow or abusive connections. */
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
  // Close the connection without a response, because Node's 503 would look like an outage.
  server.on('dropRequest', (_, socket) => socket.destroy())

  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  const unanswered = new WeakMap<Socket, number>()
  server.on('request', ({ socket }, response) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count > limits.unansweredPerConnection) socket.destroy()
  })

  server.prependListener('request', (request, response) =>
    closeAfterUnread(request, response, limits),
  )

  // server.close() calls closeIdleConnections(), which skips connections that never sent a byte. Browsers
  // open such connections in advance, and the server would wait for them for its whole grace period. Close
  // them after a delay, because the first bytes of a request may be on the way.
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    const timer = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, limits.unusedMs)
    timer.unref()
  }
  return server
}

/**
 * Closes the connection if the response starts before the whole body has arrived. Otherwise, the rest of the body would
 * come before the next request and make it fail; behind a proxy, that may be another visitor's lead.
 */
function closeAfterUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { lingerMs }: ConnectionLimits,
): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (Number(length) === 0 && encoding === undefined) return
  const { socket } = request
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    if (!request.complete) {
      response.setHeader('Connection', 'close')
      // Node calls this after the response. Closing while data arrives resets the connection, and the
      // client may lose the response.
      socket.destroySoon = () => {
        socket.end()
        request.resume().once('end', () => socket.destroy())
        setTimeout(() => socket.destroy(), lingerMs).unref()
      }
    }
    return writeHead(...args)
  }
}
