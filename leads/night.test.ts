import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { dayHours, savePhone } from '#testing/saved-leads.ts'
import { openService } from '#testing/service.ts'
import type { EventKind } from './history.ts'
import type { PushDevice } from './store/push-devices.ts'
import { minuteMs } from './time-units.ts'

const toTime = (text: string) => Date.parse(`2026-11-${text}:00-06:00`)
const [closing, opening] = [toTime('17T18:00'), toTime('18T07:00')]
const count = (from: number, to: number, everyMs: number) =>
  Array.from({ length: (to - from) / everyMs + 1 }, (_, at) => from + at * everyMs)
const clockFormat = new Intl.DateTimeFormat('en-US', {
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'America/Chicago',
})
const formatTime = (at: number) => clockFormat.format(at).replace(/\s/, ' ')

const leads = new Map([
  [toTime('17T18:20'), { name: 'Ann', serviceType: 'roof-repair' }],
  [toTime('17T21:45'), { name: 'Ben', serviceType: 'roof-repair' }],
  [toTime('18T02:05'), { name: 'Cal', serviceType: 'emergency' }],
  [toTime('18T05:30'), { name: 'Dee', serviceType: 'roof-repair' }],
  [toTime('18T06:59'), { name: 'Eve', serviceType: 'roof-repair' }],
])
const calls = new Map([
  [toTime('18T02:08'), 'Cal'],
  [toTime('18T07:03'), 'Ann'],
  [toTime('18T07:05'), 'Ben'],
  [toTime('18T07:07'), 'Dee'],
])
// When Sam records the result of the call to Cal. Otherwise, the site would ask for it.
const resultAt = toTime('18T02:12')
const phones: Record<string, Partial<PushDevice>> = {
  Always: {},
  'Business-hours': { schedule: 'business-hours' },
  Off: { schedule: 'off' },
}

it('sends the documented messages from closing to the last deadline', async () => {
  const db = await openTestDatabase('sqlite')
  const boss = 'boss@example.com'
  const env = { ESCALATION_EMAIL_TO: boss, DESK_EMAIL_TO: boss, DESK_URL: 'https://desk.example' }
  const service = await openService(db, { hours: dayHours, env })
  const { desk, clock, cookie, mail, twilio, push, ask, read, deliverer } = service
  clock.at = closing
  for (const [name, changes] of Object.entries(phones)) {
    const { endpoint, keys } = push.addPhone(name)
    const phone = { id: crypto.randomUUID(), sessionId: name, endpoint, ...keys, name }
    await savePhone(db, { ...phone, createdAt: clock.at, ...changes })
  }
  /** Returns who got each new message and what it says, and then clears the messages. */
  const takeMessages = () => [
    ...mail.mails.splice(0).map(({ to, subject }) => ['email', `${to}: ${subject}`]),
    ...twilio.messages.splice(0).map(({ body }) => ['text', body.split('.')[0]]),
    ...push.messages
      .splice(0)
      .map(({ device, data }) => [
        `${device.toLowerCase()} phone`,
        data.notification.silent ? 'silent' : data.notification.title,
      ]),
  ]
  const press = async (name: string, kind: EventKind) => {
    const { leads: listed } = await read('/api/today')
    const { id } = listed.find((lead: { name: string }) => lead.name === name)
    const body = { id: crypto.randomUUID(), kind }
    return desk.call('POST', `/api/leads/${id}/events`, { cookie, body })
  }

  const table: string[] = []
  const texts: string[] = []
  const times = new Set([
    ...count(closing, opening, 60 * minuteMs),
    ...leads.keys(),
    ...count(opening - minuteMs, opening + 15 * minuteMs, minuteMs),
    ...calls.keys(),
    resultAt,
  ])
  for (const at of [...times].sort((a, b) => a - b)) {
    clock.at = at
    const lead = leads.get(at)
    if (lead) expect((await ask(lead)).status).toBe(200)
    const called = calls.get(at)
    if (called) expect((await press(called, 'called')).status).toBe(200)
    if (at === resultAt) expect((await press('Cal', 'done')).status).toBe(200)
    await deliverer.deliverDue(1)
    const messages = takeMessages()
    if (messages.length === 0) continue
    const event =
      (lead && `${lead.name} asks${lead.serviceType === 'emergency' ? ': emergency' : ''}`) ??
      (called && `Sam calls ${called}`) ??
      (at === opening ? 'The company opens' : 'A reminder')
    const notified = [...Map.groupBy(messages, ([to]) => to)].map(
      ([to, some]) => `${to}${some.length > 1 ? ` (${some.length})` : ''}`,
    )
    const { toCall, waiting } = (await read('/api/today')).totals
    const cells = [formatTime(at), event, notified.sort().join(', '), toCall, waiting]
    table.push(`| ${cells.join(' | ')} |`)
    for (const [to, text] of messages) texts.push(`${formatTime(at)} ${to}: ${text}`)
  }

  const documented = readFileSync('docs/operations.md', 'utf8').split('\n')
  expect(table).toEqual(documented.filter((line) => /^\| \d+:\d\d [AP]M/.test(line)))
  expect(texts).toEqual(
    expect.arrayContaining([
      '2:05 AM text: EMERGENCY: call Cal by 2:15 AM CST',
      '7:00 AM email: boss@example.com: To do: 4 not called yet',
      '7:00 AM always phone: To do today',
      '7:00 AM always phone: 4 leads to call by 7:10 AM CST',
      '7:00 AM business-hours phone: 4 leads to call by 7:10 AM CST',
      '7:00 AM text: 4 leads to call by 7:10 AM CST',
      '7:10 AM email: boss@example.com: Call Eve now: the call was due at 7:10 AM CST',
    ]),
  )
  const { report } = await read('/api/report?days=7')
  expect(report).toMatchObject({ kept: 4, missed: 1, open: 0 })
})
