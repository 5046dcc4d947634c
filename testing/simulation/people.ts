import { createHash } from 'node:crypto'
import { makeAnswerToken } from '#leads/answer-link.ts'
import type { EventKind, LeadState } from '#leads/history.ts'
import { trapField, visitHeader } from '#leads/lead.ts'
import type { Process } from './process.ts'
import type { Services } from './services.ts'
import { secondMs, type World } from './world.ts'

export const siteUrl = 'https://www.example.com'
export const deskUrl = 'https://desk.example.com'
export const linkSecret = 'a secret for tests'

export type Visit = {
  name: string
  phone: string
  email: string
  /** Different for each request. */
  address: string
  kind: (typeof visitKinds)[number] | 'by hand' | 'by hand, calling'
  isSpam: boolean
  isAcknowledged: boolean
}
const visitKinds = [
  'normal',
  'normal',
  'emergency',
  'spam',
  'double click',
  'without JavaScript',
] as const

/** The state of a lead that a page shows. */
export type Shown = Pick<LeadState, 'status' | 'calledAt' | 'attempts' | 'callAgainAt' | 'version'>

/** A button or a note. The phone sends it again if there is no response. */
export type Press = {
  id: string
  leadId: string
  name: string | undefined
  kind: EventKind
  version: number
  text?: string
  at?: number
  responses: { status: number; sentAt: number }[]
}

type Reply = { status: number; json: { lead?: Shown; leads?: unknown[] } | undefined; text: string }

const names = ['Mai Tran', 'Bill Ode', 'Ana Ruiz', 'Lee Park', 'Joy Katz', 'Tom Wong']
const emails = ['one@example.com', 'On.e+roof@example.com', 'two@example.com', 'three@example.com']

/** The buttons of the desk in each state. */
const buttons: Record<Shown['status'], (Exclude<EventKind, 'airtable-status'> | 'link')[]> = {
  open: ['called', 'called', 'no-answer', 'done', 'not-a-lead', 'link', 'note'],
  calling: ['no-answer', 'no-answer', 'undone', 'called', 'done', 'not-a-lead', 'note'],
  'call-again': [
    'call-again',
    'call-again',
    'called',
    'no-answer',
    'undone',
    'done',
    'texted',
    'link',
  ],
  done: ['undone', 'undone', 'undone', 'not-a-lead', 'note'],
  'not-a-lead': ['undone', 'undone', 'undone', 'done'],
}

export const crew = ['Sam', 'Alex'].map((person) => {
  const token = person.padEnd(43, 'x')
  const tokenHash = createHash('sha256').update(token).digest('hex')
  return { person, tokenHash, cookie: `__Host-desk=${token}`, pages: new Map<string, Shown>() }
})

const listFields = ({ name, email, phone, address }: Visit) => ({ name, email, phone, address })

export type People = ReturnType<typeof createPeople>

/** Homeowners who send leads, and a crew of two with a phone each. */
export function createPeople(
  world: World,
  services: Services,
  {
    listProcesses,
    leads,
  }: { listProcesses: () => Process[]; leads: Map<string, { name: string; version: number }> },
) {
  const visits: Visit[] = []
  const presses: Press[] = []
  const erasures: { leadId: string; from: 'here only' | 'everywhere' }[] = []
  const choices = new Map<string, { status: string; at: number; rowId: string }>()
  let isCalm = false
  for (const { pages } of crew) pages.clear()

  /** Sends a request to one of the processes. Returns undefined if no response arrives in time. */
  async function ask(app: 'app' | 'desk', request: () => Request): Promise<Reply | undefined> {
    const alive = listProcesses().filter(({ isDead }) => !isDead)
    const process = world.pick(alive)
    if (!process) return undefined
    const asking = new Promise<Reply>((resolve) => {
      const handle = async () => {
        process.handled += 1
        const response = await process[app].fetch(request())
        process.handled -= 1
        const text = await response.text()
        const json = text.startsWith('{') ? JSON.parse(text) : undefined
        const place = response.headers.get('location') ?? ''
        if (isCalm || world.chance(0.97))
          resolve({ status: response.status, json, text: text || place })
      }
      world.schedule(world.between(5, 80), handle, process, true)
    })
    return Promise.race([asking, world.pass(10 * secondMs).then(() => undefined)])
  }

  const act = (phone: (typeof crew)[number], method: string, path: string, body?: object) =>
    ask(
      'desk',
      () =>
        new Request(`${deskUrl}/api/${path}`, {
          method,
          headers: { cookie: phone.cookie, origin: deskUrl },
          ...(body && { body: JSON.stringify(body) }),
        }),
    )

  async function look(phone: (typeof crew)[number], id: string): Promise<Shown | undefined> {
    const reply = await act(phone, 'GET', `leads/${id}`)
    if (reply?.json?.lead) phone.pages.set(id, reply.json.lead)
    return phone.pages.get(id)
  }

  /** Some homeowners ask again. */
  function makeVisit(kind: Visit['kind']): Visit {
    const number = visits.length
    const earlier = world.chance(0.3) ? world.pick(visits) : undefined
    const visit: Visit = {
      name: earlier?.name ?? names[number % names.length] ?? '',
      phone: earlier?.phone ?? `(612) 555-01${10 + number}`,
      email: world.pick(emails),
      address: `${number} Main St, Edina`,
      kind,
      isSpam: kind === 'spam',
      isAcknowledged: false,
    }
    visits.push(visit)
    return visit
  }

  return {
    visits,
    presses,
    erasures,
    choices,
    act,
    stopFaults() {
      isCalm = true
    },

    async visit(): Promise<void> {
      const number = visits.length
      const visit = makeVisit(world.pick(visitKinds))
      const { kind } = visit
      world.say(`${visit.name} sends a lead (${kind}).`)
      const isForm = kind === 'without JavaScript'
      const fields = {
        ...listFields(visit),
        serviceType: kind === 'emergency' ? 'emergency' : 'roof-repair',
      }
      const details = kind === 'spam' ? `${trapField}=x` : 'elapsedMs=30000'
      const request = () =>
        new Request(`${siteUrl}/functions/v1/submit-to-airtable`, {
          method: 'POST',
          headers: {
            client: `10.${number}.0.1`,
            ...(isForm
              ? { origin: siteUrl, 'content-type': 'application/x-www-form-urlencoded' }
              : {
                  apikey: 'public-anon-key',
                  'content-type': 'application/json',
                  ...{ 'idempotency-key': `visit-${number}`, [visitHeader]: details },
                }),
          },
          body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
        })
      const send = async () => {
        const reply = await ask('app', request)
        const isDone = reply?.status === 200 || reply?.text.includes('#estimate-received')
        if (isDone && !visit.isAcknowledged) world.say(`${visit.name} sees that we have the lead.`)
        visit.isAcknowledged ||= isDone ?? false
      }
      await Promise.all(kind === 'double click' || isForm ? [send(), send()] : [send()])
      // The page retries with the same key. Without JavaScript, the visitor gives up.
      for (let tries = 0; tries < 4 && !visit.isAcknowledged && !isForm; tries++) {
        await world.pass(world.between(2, 8) * secondMs)
        await send()
      }
    },

    /** A homeowner calls, and one of the crew writes the lead down. The desk retries with the same ID. */
    async add(): Promise<void> {
      const phone = world.pick(crew)
      const visit = makeVisit(world.chance(0.5) ? 'by hand' : 'by hand, calling')
      world.say(`${phone.person} adds ${visit.name} (${visit.kind}).`)
      const isCalled = visit.kind === 'by hand, calling'
      const body = { id: world.makeId(), isCalled, fields: listFields(visit) }
      for (let tries = 0; tries < 4; tries++) {
        const reply = await act(phone, 'POST', 'leads', body)
        world.say(`${phone.person} sees ${reply?.status ?? 'no response'} for ${visit.name}.`)
        visit.isAcknowledged ||= reply?.status === 200
        if (visit.isAcknowledged && !world.chance(0.2)) return
        await world.pass(world.between(2, 8) * secondMs)
      }
    },

    /** Someone presses a button on one of two phones, which may show an old state. */
    async press(): Promise<void> {
      const phone = world.pick(crew)
      // Often pick a lead that someone has opened before, because only such a page can be out of date.
      const opened = [...leads.keys()].filter((id) => crew.some(({ pages }) => pages.has(id)))
      const id = world.pick(opened.length > 0 && world.chance(0.7) ? opened : [...leads.keys()])
      const lead = leads.get(id)
      if (!lead) return
      const { name } = lead
      const known = phone.pages.get(id)
      const isStale = known !== undefined && known.version !== lead.version && world.chance(0.6)
      const shown = isStale ? known : await look(phone, id)
      if (!shown) return
      const kind = world.pick(buttons[shown.status])
      world.say(`${phone.person} presses ${kind} for ${name}${isStale ? ' on an old page' : ''}.`)
      if (kind === 'link') {
        const token = makeAnswerToken(id, linkSecret, world.now())
        await ask('app', () => new Request(`${siteUrl}/answer/${token}`, { method: 'POST' }))
        return
      }
      const press: Press = {
        id: world.makeId(),
        leadId: id,
        name,
        kind,
        version: shown.version,
        responses: [],
      }
      if (kind === 'note') press.text = `Note ${presses.length}`
      if (kind === 'call-again') press.at = world.now() + world.between(10, 120) * 60 * secondMs
      presses.push(press)
      const { leadId: _, name: __, responses, ...body } = press
      // Sometimes the phone sends the press again although the first request arrived.
      for (let tries = 0; tries < 3; tries++) {
        const sentAt = world.trueNow()
        const reply = await act(phone, 'POST', `leads/${id}/events`, body)
        world.say(`${phone.person} sees ${reply?.status ?? 'no response'} for ${kind} of ${name}.`)
        if (reply) responses.push({ status: reply.status, sentAt })
        if (reply?.json?.lead) phone.pages.set(id, reply.json.lead)
        if (reply && reply.status < 500 && !world.chance(0.1)) return
      }
    },

    /** Someone sets Status in Airtable by hand. */
    setStatus(): void {
      const row = world.pick(services.airtable.tables[0]?.records ?? [])
      if (!row) return
      const status = world.pick(['Called', 'Done', 'Follow-up'])
      row.fields.Status = status
      const choice = { status, at: world.trueNow(), rowId: row.id }
      choices.set(String(row.fields['Lead ID']), choice)
      world.say(`Someone sets Status of ${row.fields.Name} to ${status} in Airtable.`)
    },

    async erase(): Promise<void> {
      const id = world.pick([...leads.keys()])
      const name = leads.get(id)?.name
      if (!id) return
      const isHereOnly = world.chance(0.3)
      erasures.push({ leadId: id, from: isHereOnly ? 'here only' : 'everywhere' })
      world.say(`Sam erases ${name}${isHereOnly ? ' here only' : ''}.`)
      const phone = crew[0] as (typeof crew)[number]
      const reply = await act(phone, 'DELETE', `leads/${id}`, { name, hereOnly: isHereOnly })
      world.say(`Sam sees ${reply?.status ?? 'no response'} for erasing ${name}.`)
    },
  }
}

/** Returns true if the visitor meant the request as spam, even if the product stored it as a normal lead. */
export const isSpam = ({ visits }: People, address: string): boolean =>
  visits.some((visit) => visit.address === address && visit.isSpam)

export const findKind = ({ visits }: People, address: string) =>
  visits.find((visit) => visit.address === address)?.kind

/** Returns true even if it failed. */
export const hasErased = ({ erasures }: People, leadId: string, from: 'here only' | 'everywhere') =>
  erasures.some((one) => one.leadId === leadId && one.from === from)
