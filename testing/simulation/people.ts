import { makeAnswerToken } from '#leads/answer-link.ts'
import type { Lead } from '#leads/fields.ts'
import { events } from '#leads/history.ts'
import { trapField, visitHeader } from '#leads/lead.ts'
import { computeStatus, isChangeKind, isClosed } from '#leads/lead-state.ts'
import { makeInput } from '../saved-leads.ts'
import { crew, listButtons, type Press, type Shown } from './crew.ts'
import type { Process } from './process.ts'
import type { Services } from './services.ts'
import { secondMs, type World } from './world.ts'

export const siteUrl = 'https://www.example.com'
export const deskUrl = 'https://desk.example.com'
export const linkSecret = 'a secret for tests'

type Visit = {
  name: string
  /** Empty for a caller who gave only an email address. */
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

type Card = Shown & { id: string; card: string }
type Reply = { status: number; json: { lead?: Shown; leads?: Card[] } | undefined; text: string }

const names = ['Mai Tran', 'Bill Ode', 'Ana Ruiz', 'Lee Park', 'Joy Katz', 'Tom Wong']
const emails = ['one@example.com', 'On.e+roof@example.com', 'two@example.com', 'three@example.com']

/** Requests with the same number, however it is written, are from one homeowner. */
export const readNumber = (phone: string): string => phone.replace(/\D/g, '').slice(-10)

const respell = (phone: string) => phone && `+1 ${readNumber(phone)}`

const listFields = ({ name, email, phone, address }: Visit) => ({ name, email, phone, address })

export type People = ReturnType<typeof createPeople>

/** Homeowners who send leads, and a crew of two with a phone each. */
export function createPeople(
  world: World,
  services: Services,
  {
    listProcesses,
    leads,
  }: {
    listProcesses: () => Process[]
    leads: Map<string, { name: string; version: number }>
  },
) {
  const visits: Visit[] = []
  const presses: Press[] = []
  const erasures: { leadId: string; from: 'here only' | 'everywhere' }[] = []
  const choices = new Map<string, { status: string; at: number; rowId: string }>()
  let isCalm = false
  for (const { pages, cards } of crew) {
    pages.clear()
    cards.clear()
  }

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

  /** Reads the Today screen, and remembers the other requests on each lead's card. */
  async function lookAtToday(phone: (typeof crew)[number]): Promise<void> {
    const reply = await act(phone, 'GET', 'today')
    for (const some of Map.groupBy(reply?.json?.leads ?? [], ({ card }) => card).values())
      for (const { id } of some)
        phone.cards.set(
          id,
          some.filter((one) => one.id !== id).map(({ id, version }) => ({ id, version })),
        )
  }

  /** Some homeowners ask again, possibly under a different name. Others share only a name or an email address. */
  function makeVisit(kind: Visit['kind']): Visit {
    const number = visits.length
    const earlier = world.chance(0.5) ? world.pick(visits) : undefined
    const isSameNumber = world.chance(0.7)
    const hasNumber = !kind.startsWith('by hand') || world.chance(0.7)
    const ownPhone = hasNumber ? `(612) 555-01${10 + number}` : ''
    const visit: Visit = {
      name: (!world.chance(0.3) && earlier?.name) || (names[number % names.length] ?? ''),
      phone: (isSameNumber && earlier && respell(earlier.phone)) || ownPhone,
      email: world.pick(emails),
      address: `${number} Main St, Edina`,
      kind,
      isSpam: kind === 'spam',
      isAcknowledged: false,
    }
    visits.push(visit)
    return visit
  }

  /** Keeps the address, because the sentences use it to find the visit. */
  const makeCorrection = (): Partial<Lead> =>
    world.pick([
      { phone: respell(world.pick(visits).phone) },
      { phone: `(612) 555-02${world.between(10, 99)}`, name: world.pick(names) },
      { serviceType: world.pick(['emergency', 'other'] as const) },
    ])

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

    /** A homeowner calls, and a crew member enters the lead. The desk retries with the same ID. */
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

    /** Someone presses a button on one of two phones, which may show a stale page. */
    async press(chosen?: 'corrected'): Promise<void> {
      const phone = world.pick(crew)
      // Often pick a lead that someone has opened before, because only an opened page can be out of date.
      const opened = [...leads.keys()].filter((id) => crew.some(({ pages }) => pages.has(id)))
      const id = world.pick(opened.length > 0 && world.chance(0.7) ? opened : [...leads.keys()])
      const lead = leads.get(id)
      if (!lead) return
      const { name } = lead
      const known = phone.pages.get(id)
      const isStale = known !== undefined && known.version !== lead.version && world.chance(0.6)
      const shown = isStale ? known : await look(phone, id)
      if (!shown) return
      const kind = chosen ?? world.pick(listButtons(shown))
      world.say(`${phone.person} presses ${kind} for ${name}${isStale ? ' on an old page' : ''}.`)
      if (kind === 'link') {
        const token = makeAnswerToken(id, linkSecret, world.now())
        await ask('app', () => new Request(`${siteUrl}/answer/${token}`, { method: 'POST' }))
        return
      }
      const press: Press = {
        id: world.makeId(),
        leadId: id,
        kind,
        version: shown.version,
        responses: [],
      }
      const { takes, call } = events[kind]
      const closes = isChangeKind(kind) && isClosed({ status: computeStatus(shown.status, kind) })
      if (closes && world.chance(0.2)) press.isAlone = true
      // A card on the Today screen lists the other requests.
      else if (closes || call !== null || takes === 'time') {
        if (!isStale) await lookAtToday(phone)
        const requests = phone.cards.get(id)
        if (requests && world.chance(0.5)) press.requests = requests
      }
      Object.assign(press, makeInput(kind, world.now()))
      if (kind === 'corrected' && shown.values)
        Object.assign(press, { shown: shown.values, fields: makeCorrection() })
      // Call again within about a day, so that the reminder and its repeat are due before the simulation ends.
      const minutes = world.chance(0.3) ? world.between(720, 1_500) : world.between(10, 120)
      if (takes === 'time') press.at = world.now() + minutes * 60 * secondMs
      presses.push(press)
      const { leadId: _, responses, ...body } = press
      // Sometimes the phone sends the press again even though the first request arrived.
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
