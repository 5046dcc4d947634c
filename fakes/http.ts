import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** How one request to a fake service fails. */
export type HttpFault =
  /** Returns a gateway's HTML page instead of the service's JSON. */
  | { kind: 'html'; status: number }
  | { kind: 'slow'; delayMs: number }
  /** Closes the connection without handling the request. */
  | { kind: 'refuse' }
  /** Handles the request, then closes the connection without a response. */
  | { kind: 'lose-answer' }
  /** Handles the request, then sends half of the response. */
  | { kind: 'cut-answer' }
  /** Handles the request and never responds. */
  | { kind: 'hang' }

export type Call = {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
}
export type Reply = {
  status: number
  type?: string
  headers?: Record<string, string>
  body: unknown
}

/** A fake service without an HTTP server, because the simulation calls it directly. */
export type HttpHandler<Fault extends { kind: string } = HttpFault> = {
  chooseFault?(call: Call): Fault | HttpFault | undefined
  /** Not called when the fault is 'refuse'. */
  answer(call: Call, fault?: Fault | HttpFault): Reply | Promise<Reply>
}

/** Serves a fake on a local port. Requests get the faults in `nextFaults` first, and then those from `chooseFault`. */
export async function startHttpFake<Fault extends { kind: string } = HttpFault>(
  service: HttpHandler<Fault>,
) {
  const nextFaults: (Fault | HttpFault | undefined)[] = []
  const server = createServer(async (request, response) => {
    try {
      const { method = 'GET', headers, socket } = request
      const bytes = Buffer.concat(await request.toArray())
      const url = new URL(request.url ?? '/', 'http://fake')
      const call = { method, url, headers, bytes, text: bytes.toString('utf8') }
      const chosen = nextFaults.length > 0 ? nextFaults.shift() : service.chooseFault?.(call)
      const fault = chosen as HttpFault | undefined
      if (fault?.kind === 'refuse') return socket.destroy()
      const reply = await service.answer(call, fault)
      const { status, type = 'application/json', headers: more, body } = reply
      const sent = typeof body === 'string' ? body : JSON.stringify(body)
      if (fault?.kind === 'lose-answer') return socket.destroy()
      if (fault?.kind === 'hang') return
      if (fault?.kind === 'slow') await pause(fault.delayMs, undefined, { ref: false })
      response.writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(sent),
        ...more,
      })
      if (fault?.kind === 'cut-answer')
        response.write(sent.slice(0, sent.length / 2), () => socket.destroy())
      else response.end(sent)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextFaults,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const answerHtml = (status: number): Reply => ({
  status,
  type: 'text/html; charset=utf-8',
  body: `<html><body><h1>${status} Bad Gateway</h1></body></html>`,
})
