import { expect, it } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { makeInput, record, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import { describePress } from '../desk/press.ts'
import { renderStart } from '../desk/render.tsx'
import { describeAlert } from './channels/alert.ts'
import { nameButton, nameUndone } from './describe-event.ts'
import { type EventKind, eventKinds, events } from './history.ts'
import { formatAnswerPage } from './http/answer-page.ts'
import { computeStatus, isChangeKind, isRemark, needsCall } from './lead-state.ts'
import { type LeadStatus, statuses, statusKinds } from './statuses.ts'
import { findLead } from './store/find-leads.ts'

const timeZone = 'America/Chicago'

const listValid = (status: LeadStatus): EventKind[] => {
  const { accepts = [], ifCurrent } = statuses[status]
  return [...accepts, ...ifCurrent]
}

/** Returns the shortest series of events from one status to another. */
function findWay(to: LeadStatus, from: LeadStatus = 'open'): EventKind[] {
  const ways = new Map<LeadStatus, EventKind[]>([[from, []]])
  for (const [status, kinds] of ways) {
    if (status === to) return kinds
    for (const kind of listValid(status)) {
      const next = computeStatus(status, kind)
      if (!ways.has(next)) ways.set(next, [...kinds, kind])
    }
  }
  throw new Error(`No event leads to the status ${to}.`)
}

/** Returns the events that bring a new lead to `before`, with the unanswered calls that `kind` requires. */
function planWay(kind: EventKind, before: LeadStatus): EventKind[] {
  const way = findWay(before)
  const tries = Math.max(0, ...[...way, kind].map((one) => events[one].afterAttempts ?? 0))
  if (tries === 0) return way
  return [...Array<EventKind>(tries).fill('no-answer'), ...findWay(before, 'call-again')]
}

// Remarks are valid in any status, and Undo in any except `open`, so test each in one status.
const pairs = [
  ...statusKinds.flatMap((status) => listValid(status).map((kind) => [kind, status] as const)),
  ...eventKinds.filter(isRemark).map((kind) => [kind, 'open'] as const),
  ['undone', 'calling'] as const,
]

it('has a status for each event, and offers each result while someone is calling', () => {
  expect(new Set(pairs.map(([kind]) => kind))).toEqual(new Set(eventKinds))
  const results = eventKinds.filter((kind) => events[kind].place === 'results')
  expect(statuses.calling.accepts).toEqual(expect.arrayContaining(results))
})

/** Sets up a crew with a desk, a phone, and a fake Airtable that contains the lead. */
async function open() {
  const { fake: airtable } = await startAirtable({ requestsPerWindow: 1_000 })
  const crew = await openCrew('sqlite', { env: airtable.env })
  const { db, clock, press, get, post, deliverAt } = crew
  const id = await storeLead(db, { at: clock.at, recipients: ['airtable', 'push-0a1b2c3d'] })
  await deliverAt()
  const readLead = async () => (await get(`/api/leads/${id}`)).lead
  /** Presses the desk's button. Records an event without a button as the server would. */
  async function act(kind: EventKind) {
    clock.at += 60_000
    const { place } = events[kind]
    const { version } = await readLead()
    const options = { at: clock.at, version, text: 'Follow-up', person: 'Sam Hill' }
    const byItself = { via: 'site', person: null } as const
    if (place === null)
      await record(db, id, kind, { ...options, ...(kind === 'no-result' && byItself) })
    else {
      const input = makeInput(kind, clock.at)
      expect(await press(id, kind, input)).toMatchObject({ status: 200 })
    }
    const { notifications } = await deliverAt()
    return { titles: notifications.map(({ title }) => title), lead: await readLead() }
  }
  const readReport = async () => (await get('/api/report')).report
  return {
    act,
    readReport,
    readLead,
    /** Returns the Today screen as the server renders it. */
    readToday: async () => renderStart(await get('/api/today')).screen,
    readFiltered: async (status: LeadStatus | 'next-call') =>
      (await post('/api/search', { status })).json.leads.map((lead: { id: string }) => lead.id),
    readCsv: async () => (await post('/api/spreadsheet', {})).text,
    readAirtable: () => airtable.records.map(({ fields }) => fields.Status),
    async readAnswerPage() {
      const lead = await findLead(db, id)
      const shown = { now: clock.at, timeZone }
      return lead && formatAnswerPage(describeAlert(lead, 'received', shown), lead, false, shown)
    },
    id,
    clock,
  }
}

it.each(pairs)(
  '“%s” on a lead that is %s shows in every place, and Undo takes it back',
  async (kind, before) => {
    const { place, call } = events[kind]
    const way = planWay(kind, before)
    const desk = await open()
    for (const step of way) await desk.act(step)
    const button = nameButton(kind, { phone: '1' })
    if (place === 'results' && statuses[before].needs === 'result')
      expect(await desk.readToday()).toContain(`>${button}</button>`)
    const { titles, lead } = await desk.act(kind)

    const after: LeadStatus = kind === 'undone' ? 'open' : computeStatus(before, kind)
    const { label, airtable, isLead, needs } = statuses[after]
    expect(lead.status).toBe(after)
    const [newest] = lead.history
    expect(newest).toMatchObject({
      kind,
      text: expect.stringMatching(/^(Sam Hill|The site) [^{}]+$/),
    })
    expect(await desk.readToday()).toContain('Jane Doe')
    expect(await desk.readFiltered(after)).toEqual([desk.id])
    const again = needs === 'next-call' ? [desk.id] : []
    expect(await desk.readFiltered('next-call')).toEqual(again)
    const csv = await desk.readCsv()
    const start = newest.text.split(' ').slice(0, 4).join(' ')
    for (const text of [label, start]) expect(csv).toContain(text)
    const answer = needsCall({ status: after }) ? 'Call' : start
    expect(await desk.readAnswerPage()).toContain(answer)
    expect(desk.readAirtable()).toEqual([airtable])
    const isNews = before !== after && [before, after].some((status) => needsCall({ status }))
    if (isNews) expect(titles).toEqual([expect.stringMatching(/^[^{}]*Jane Doe[^{}]*$/)])
    const notice = { undone: undefined, me: 'sam.hill@example.com', now: desk.clock.at, timeZone }
    expect(describePress(kind, lead, notice)).toMatch(/^[^{}]+\.$/)

    const { bySource, byPerson } = await desk.readReport()
    expect(bySource[0]?.leads ?? 0).toBe(isLead ? 1 : 0)
    if (call !== null) expect(byPerson.length).toBeGreaterThan(0)
    const unanswered = [...way, kind].filter((one) => events[one].call === 'unanswered').length
    expect(byPerson[0]?.noAnswer ?? 0).toBe(unanswered)

    if (!isChangeKind(kind)) return
    const undone = await desk.act('undone')
    expect(undone.lead.status).toBe(before)
    expect(undone.lead.history[0].text).toBe(`Sam Hill undid “${nameUndone(kind, { phone: '1' })}”`)
    expect(undone.lead.history[1]).toMatchObject({ kind, isUndone: true })
    expect(await desk.readToday()).toContain('Jane Doe')
    expect(desk.readAirtable()).toEqual([statuses[before].airtable])
    if (isNews) expect(undone.titles).toEqual([expect.stringContaining('Jane Doe')])
  },
)
