import type { SentLead } from './visitors.ts'

export type HandOver = { channel: string; name: string; id: string; at: number }

export type Harm = {
  /** Acknowledged, and yet without its row or one of its alerts. */
  lost: string[]
  /** Two leads, two rows or two different alerts of one. */
  doubled: string[]
  /** The same alert, with the same id, handed over again: the kill fell between hand-over and record. */
  alertsRepeated: number
  surprises: string[]
}

// What a process sent before it died lies in the receiver's socket for a moment.
const readWithinMs = 1_000

/** What became of each lead that was sent. */
export function findHarm({
  sent,
  stored,
  rows,
  handOvers,
  killedAt,
}: {
  sent: readonly SentLead[]
  stored: readonly { name: string; email: string }[]
  rows: readonly { name: string }[]
  handOvers: readonly HandOver[]
  killedAt: readonly number[]
}): Harm {
  const harm: Harm = { lost: [], doubled: [], alertsRepeated: 0, surprises: [] }
  const count = (name: string, what: string, found: number, mustBe: boolean) => {
    if (found === 0 && mustBe) harm.lost.push(`${name}: no ${what}`)
    if (found > 1) harm.doubled.push(`${name}: ${found} × ${what}`)
  }
  const storedByName = Map.groupBy(stored, ({ name }) => name)
  const rowsByName = Map.groupBy(rows, ({ name }) => name)
  const alertsByName = Map.groupBy(handOvers, ({ name }) => name)
  for (const { name, acknowledged } of sent) {
    const leads = storedByName.get(name)?.length ?? 0
    count(name, 'lead', leads, acknowledged)
    count(name, 'row', rowsByName.get(name)?.length ?? 0, leads > 0)
    const alerts = Map.groupBy(alertsByName.get(name) ?? [], ({ channel }) => channel)
    for (const channel of ['email', 'sms', 'webhook']) {
      const heard = alerts.get(channel) ?? []
      count(name, channel, new Set(heard.map(({ id }) => id)).size, leads > 0)
      for (const [before, { at }] of heard.slice(1).entries()) {
        harm.alertsRepeated += 1
        const earlierAt = heard[before]?.at ?? 0
        if (!killedAt.some((kill) => earlierAt < kill + readWithinMs && kill < at))
          harm.doubled.push(`${name}: ${channel} again, and nobody was killed between`)
      }
    }
  }
  const known = new Set(sent.map(({ name }) => name))
  for (const { name, email } of stored)
    if (!known.has(name) || email !== `${name.replace(' ', '.').toLowerCase()}@example.com`)
      harm.surprises.push(`a lead nobody sent: ${name}`)
  // A process that dies has at most one alert of each of the three channels in its hands.
  if (harm.alertsRepeated > killedAt.length * 3)
    harm.surprises.push(`${harm.alertsRepeated} alerts repeated for ${killedAt.length} kills`)
  return harm
}
