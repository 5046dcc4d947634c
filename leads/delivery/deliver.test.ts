import { describe, expect, it, onTestFinished } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import {
  fail,
  openDelivery,
  readDeliveries,
  readStates,
  saveLeads,
  succeed,
} from '#testing/delivery.ts'

describe.each(engines)('the deliverer on %s', (engine) => {
  it('woken into a run that is under way looks once more, and starts no second one', async () => {
    const db = await openTestDatabase(engine)
    await saveLeads(db, 3)
    let sending = 0
    let mostAtOnce = 0
    const { deliverer, sends } = openDelivery(
      db,
      async (claimed) => {
        sending += 1
        mostAtOnce = Math.max(mostAtOnce, sending)
        // A lead that comes while the last one is being sent.
        if (sends.length === 3) {
          await saveLeads(db, 1)
          void deliverer.deliverDue(1)
        }
        // As long as another run would need to claim the next.
        for (let look = 0; look < 5; look++) await readDeliveries(db)
        sending -= 1
        return { outcomes: claimed.map(succeed) }
      },
      { changes: { batchSize: 1, exclusive: false, restMs: 0 } },
    )
    await Promise.all(Array.from({ length: 10 }, () => deliverer.deliverDue(1)))
    expect(mostAtOnce).toBe(1)
    expect(sends).toHaveLength(4)
    expect(await readStates(db)).toEqual(Array(4).fill('sent'))
  })

  it('starts when woken, and when stopped ends after what is in flight', async () => {
    const db = await openTestDatabase(engine)
    const sending = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const { deliverer, sends } = openDelivery(db, async (claimed) => {
      sending.resolve()
      await finished.promise
      return { outcomes: claimed.map(succeed) }
    })
    deliverer.start()
    await saveLeads(db, 1)
    const wokenAt = performance.now()
    deliverer.wake()
    await sending.promise
    expect(performance.now() - wokenAt).toBeLessThan(1_000)
    const stopped = deliverer.stop(60_000)
    await saveLeads(db, 1)
    deliverer.wake()
    finished.resolve()
    await stopped
    expect(sends).toHaveLength(1)
    expect(await readStates(db)).toEqual(['sent', 'waiting'])
  })

  it('breaks off a send that outlasts the grace, and tries it again later', async () => {
    const db = await openTestDatabase(engine)
    await saveLeads(db, 1)
    const sending = Promise.withResolvers<void>()
    const { deliverer } = openDelivery(db, async (claimed, signal) => {
      sending.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { outcomes: claimed.map(fail) }
    })
    deliverer.start()
    onTestFinished(() => deliverer.stop(0))
    await sending.promise
    await deliverer.stop(10)
    expect(await readDeliveries(db)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })
})
