import { Agent, request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestCaddy } from '#testing/caddy.ts'
import { countOne } from './report.ts'
import { functionPath, makeLead } from './visitors.ts'

const kinds = ['page', 'lead', 'lead without a key', 'plain form'] as const
type Kind = (typeof kinds)[number]

let crowds = 0

export type Tally = { outcomes: Map<string, number>; times: number[] }

/** Visitors of the site behind Caddy who read and send leads. Nobody tries again: what fails once has failed. */
export function startCrowd(
  { httpsPort, ca }: TestCaddy,
  { visitors, pauseMs }: { visitors: number; pauseMs: number },
) {
  const tallies = new Map<Kind, Tally>(
    kinds.map((kind) => [kind, { outcomes: new Map(), times: [] }]),
  )
  const acknowledged: string[] = []
  // The same plain form again within a minute would be taken for a second press.
  const crowd = ++crowds
  let stopping = false

  async function visit(at: number): Promise<void> {
    // Each comes from a network of its own, where the system has more than one address for itself.
    const localAddress = process.platform === 'linux' ? `127.1.${at % 250}.1` : undefined
    const connect = () => new Agent({ keepAlive: true, maxSockets: 1, ca, localAddress })
    let agent = connect()
    for (let turn = 0; !stopping; turn++) {
      // Now and then another visitor comes, with a connection of their own.
      if (turn % 25 === 24) {
        agent.destroy()
        agent = connect()
      }
      const kind = kinds[(at + turn) % kinds.length] ?? 'page'
      const name = `Visitor ${crowd}-${at}-${turn}`
      const startedAt = performance.now()
      const outcome = await send(agent, kind, name).catch(String)
      const tally = tallies.get(kind)
      tally?.times.push(performance.now() - startedAt)
      if (tally) countOne(tally.outcomes, outcome)
      if (outcome === 'ok' && kind !== 'page') acknowledged.push(name)
      await pause(Math.random() * pauseMs)
    }
    agent.destroy()
  }

  function send(agent: Agent, kind: Kind, name: string): Promise<string> {
    const lead = makeLead(name)
    const isForm = kind === 'plain form'
    const body = isForm ? new URLSearchParams(lead).toString() : JSON.stringify(lead)
    const headers: Record<string, string> = { host: `localhost:${httpsPort}` }
    if (kind !== 'page')
      Object.assign(headers, {
        apikey: 'public-anon-key',
        origin: `https://localhost:${httpsPort}`,
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...(kind === 'lead' && { 'idempotency-key': crypto.randomUUID() }),
      })
    const sent = request({
      agent,
      port: httpsPort,
      host: '127.0.0.1',
      servername: 'localhost',
      path: kind === 'page' ? '/' : functionPath,
      method: kind === 'page' ? 'GET' : 'POST',
      headers,
    })
    return new Promise((resolve, reject) => {
      sent.on('error', reject)
      sent.setTimeout(30_000, () => sent.destroy(new Error('no answer within 30 s')))
      sent.on('response', (response) => {
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode, headers } = response
          const isTaken = isForm
            ? statusCode === 303 && headers.location?.endsWith('#estimate-received')
            : statusCode === 200
          const later = headers['retry-after'] ? ', later' : ''
          resolve(isTaken ? 'ok' : `answered ${statusCode}${later}`)
        })
        response.resume()
      })
      sent.end(kind === 'page' ? undefined : body)
    })
  }

  const all = Array.from({ length: visitors }, (_, at) => visit(at))
  return {
    async stop() {
      stopping = true
      await Promise.all(all)
      return { tallies, acknowledged }
    },
  }
}
