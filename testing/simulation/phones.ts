import { nameDeviceRecipient, removeDevice, saveDevice } from '#leads/store/push-devices.ts'
import { saveSession } from '#leads/store/sign-in.ts'
import type { Database } from '#leads/store/tables.ts'
import { makePhone } from '#testing/saved-leads.ts'
import { crew } from './crew.ts'
import type { Phone } from './end.ts'
import type { Services } from './services.ts'
import { secondMs, type World } from './world.ts'

/** The phones on which the crew gets notifications. */
export function createPhones(
  world: World,
  services: Services,
  { db, noteWrite }: { db: Database; noteWrite: () => void },
) {
  const all: Phone[] = []
  return { all, add, swap }

  /** Tries again while a paused process has SQLite's lock. */
  async function write(work: () => Promise<unknown>): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = await work().then(
        () => true,
        () => false,
      )
      if (!isDone) await world.pass(secondMs)
    }
  }

  async function add(person: string, sessionId: string): Promise<void> {
    const id = sessionId.padEnd(8, '0')
    const { endpoint, keys } = services.push.addPhone(id)
    const device = makePhone({ id, sessionId, person, endpoint })
    await write(() => saveDevice(db, { ...device, ...keys, createdAt: world.now() }))
    all.push({ id, recipient: nameDeviceRecipient({ id }), addedAt: world.now() })
    noteWrite()
  }

  /** Someone turns on notifications on a new phone and signs out on the old one, in either order. */
  async function swap(): Promise<void> {
    const { person } = world.pick(crew)
    const old = world.pick(all.filter(({ removedAt }) => removedAt === undefined))
    const isRemovedFirst = world.chance(0.3)
    if (isRemovedFirst) await remove(old)
    const sessionId = `${person}${all.length}`
    world.say(`${person} turns on notifications on a new phone, ${sessionId}.`)
    const session = { id: sessionId, email: 'owner@example.com', person, device: 'Phone' }
    const tokens = { tokenHash: sessionId, replacedHash: undefined }
    await write(() => saveSession(db, { ...session, seenAt: world.now() }, tokens))
    await add(person, sessionId)
    if (isRemovedFirst) return
    await world.pass(world.between(0, 120) * secondMs)
    await remove(old)
  }

  async function remove(phone: Phone | undefined): Promise<void> {
    if (!phone) return
    world.say(`Someone signs out on the phone ${phone.id}.`)
    phone.removedAt = world.now()
    const { id } = phone
    await write(() => removeDevice(db, id))
    phone.removedAt = world.now()
    noteWrite()
  }
}
