import { expect, it } from 'vitest'
import { createLocation, engines } from '#testing/database.ts'
import { runCrash } from './crash.ts'
import { canCutPower, cutPower } from './power-loss.ts'

// A short version of `npm run bench -- crash`. A failure prints its seed.
const seed = Date.now() % 1_000_000

it.concurrent.each(engines)(
  'delivers every acknowledged lead when servers on %s are killed at random',
  { timeout: 600_000 },
  async (engine) => {
    const { databaseUrl } = await createLocation(engine)
    const { kills, acknowledged, ...problems } = await runCrash(seed, 10, databaseUrl)
    expect({ seed, ...problems }).toMatchObject({ seed, lost: [], duplicated: [], unexpected: [] })
    expect(kills).toBeGreaterThanOrEqual(10)
    expect(acknowledged).toBeGreaterThan(10)
  },
)

// Don't run this test concurrently, because it blocks the event loop while it copies the disk.
it.skipIf(!canCutPower())('keeps every acknowledged lead through a power loss', async () => {
  const { acknowledged, ...problems } = await cutPower(seed, 8)
  expect({ seed, ...problems }).toEqual({ seed, lost: [], damaged: [] })
  expect(acknowledged).toBeGreaterThan(10)
})
