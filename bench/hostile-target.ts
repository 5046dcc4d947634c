import fc from 'fast-check'
import { makeAnswerToken } from '#leads/answer-link.ts'
import { findLead, listLeads } from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestApp } from '#testing/app.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { elsewhere, type HostileRequest, hostileRequest, own } from './hostile-requests.ts'
import { countOne } from './report.ts'
import { functionPath } from './visitors.ts'

/** The function on a database, and what must be true of every answer, whatever it is sent. */
export function createHostileTarget(db: Database) {
  let at = Date.parse('2026-11-15T12:00:00Z')
  const { app, log } = createTestApp(db, {
    planDelivery: async () => ({ channels: ['airtable', 'email', 'webhook'], escalateAt: at }),
    allowedOrigins: [elsewhere],
    rateLimitPerMinute: 0,
    now: () => at++,
    findClientAddress: (c) => c.req.header('x-forwarded-for') ?? '203.0.113.7',
  })
  const prototypeNames = Object.getOwnPropertyNames(Object.prototype).join()
  const statuses = new Map<number, number>()

  /** Sends so many requests; the first that is answered wrongly comes back, made as small as it gets. */
  async function tryRequests(numRuns: number, seed: number): Promise<string | undefined> {
    let fault: string | undefined
    const property = fc.asyncProperty(hostileRequest, async (request) => {
      const found = await findFault(request)
      const body = Buffer.from(request.body).toString('latin1').slice(0, 500)
      if (found) fault = `${found}\n${JSON.stringify({ ...request, body })}`
      return found === undefined
    })
    const { failed, numRuns: runs } = await fc.check(property, { numRuns, seed })
    return failed ? `request ${runs} of seed ${seed}: ${fault}` : undefined
  }

  async function findFault(request: HostileRequest): Promise<string | undefined> {
    const { path, method, headers, body } = request
    const hasBody = !['GET', 'HEAD'].includes(method)
    const url = `http://roofing.example${path}`
    const response = await app.request(url, { method, headers, ...(hasBody && { body }) })
    const answer = await response.text()
    const { status } = response
    countOne(statuses, status)
    const errors = readErrors()
    if (status >= 500) return `answered ${status}: ${answer} ${errors}`
    if (errors) return `logged: ${errors}`
    if (/node_modules|\.ts:\d|\bat \w+ \(/.test(answer)) return `shows its insides: ${answer}`
    if (Object.getOwnPropertyNames(Object.prototype).join() !== prototypeNames)
      return 'changed Object.prototype'
    const opened = response.headers.get('access-control-allow-origin')
    if (opened && ![own, elsewhere].includes(opened) && !isSameHost(opened, request))
      return `opened to ${opened}`
    const location = response.headers.get('location')
    if (location && !/^(https:\/\/(roofing|cdn)\.example)?\/#estimate-\w+$/.test(location))
      return `leads to ${location}`
    const isJson = response.headers.get('content-type')?.includes('json')
    if (status >= 400 && method !== 'HEAD' && isJson) {
      const { error: refusal } = JSON.parse(answer)
      if (typeof refusal?.code !== 'string' || typeof refusal.message !== 'string')
        return `refuses without a reason: ${answer}`
    }
    if (answer === '{"ok":true}' && status === 200) return findStoredFault()
    return undefined
  }

  function readErrors(): string {
    const errors = log.entries.splice(0).filter(({ level, fields }) => {
      const { fault } = fields as { fault?: string }
      // These two say that someone is refused, which is as it should be.
      return level === 'error' && fault !== 'public key' && fault !== 'form origin'
    })
    return errors.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`).join()
  }

  async function findStoredFault(): Promise<string | undefined> {
    const [stored] = await listLeads(db, { limit: 1 })
    if (!stored) return 'said yes and stored nothing'
    const { name, email, phone, address } = stored
    for (const value of [name, email, phone, address])
      if (!value || value !== value.trim() || /[\p{Cc}\p{Cs}]/u.test(value))
        return `stored ${JSON.stringify(value)}`
    const isTooLong = name.length > 100 || email.length > 254 || phone.length > 40
    return isTooLong || address.length > 300 ? 'stored more than allowed' : undefined
  }

  return { tryRequests, statuses }
}

// The page's own host, whichever the request names, may call: the browser sets both.
const isSameHost = (origin: string, { headers: { host } }: HostileRequest) =>
  new URL(origin).host === (host ?? 'roofing.example')

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.%\0é']

/** A real link with letters turned, taken out and put in: none may show or change the lead. */
export async function tryAnswerLinks(
  db: Database,
  numRuns: number,
  seed: number,
): Promise<string | undefined> {
  const linkSecret = 'a secret for tests'
  const { app, clock } = createTestApp(db, { linkSecret })
  const leadId = await storeLead(db, { at: clock.at, channels: [] })
  const lead = await findLead(db, leadId)
  const token = makeAnswerToken(leadId, linkSecret, clock.at)
  const change = fc.tuple(fc.nat(token.length), fc.nat(1), fc.constantFrom('', ...letters))
  const link = fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    method: fc.constantFrom('GET', 'HEAD', 'POST'),
    start: fc.constantFrom('', functionPath),
  })
  const ask = (start: string, tried: string, method: string) =>
    app.request(`${start}/answer/${encodeURIComponent(tried)}`, { method })

  let fault: string | undefined
  const property = fc.asyncProperty(link, async ({ changes, method, start }) => {
    const tried = changes.reduce(
      (text, [at, removed, letter]) => text.slice(0, at) + letter + text.slice(at + removed),
      token,
    )
    if (tried === token) return true
    const response = await ask(start, tried, method)
    const answer = await response.text()
    const isShown = [lead?.name, lead?.phone].some((word) => answer.includes(String(word)))
    const isChanged = (await findLead(db, leadId))?.answeredAt !== null
    if (isShown || isChanged || ![404, 405, 410].includes(response.status))
      fault = `${method} ${tried}: ${response.status}, shown ${isShown}, answered ${isChanged}`
    return fault === undefined
  })
  const { failed } = await fc.check(property, { numRuns, seed })
  if (failed) return `answer links, seed ${seed}: ${fault}`
  // And the real one works, or the others would prove nothing.
  const { status } = await ask('', token, 'POST')
  const isAnswered = (await findLead(db, leadId))?.answeredAt === clock.at
  return status === 200 && isAnswered ? undefined : `the real link: ${status}`
}
