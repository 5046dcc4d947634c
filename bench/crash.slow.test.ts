import { expect, it } from 'vitest'
import { createLocation, engines } from '#testing/database.ts'
import { runCrash } from './crash.ts'
import { canCutPower, cutPower } from './power-cut.ts'

// A short `npm run bench -- crash`; a failure prints its seed.
const seed = Date.now() % 1_000_000

it.concurrent.each(engines)(
  'every acknowledged lead has one row and its alerts, however often servers on %s are killed',
  { timeout: 600_000 },
  async (engine) => {
    const { databaseUrl } = await createLocation(engine)
    const { kills, acknowledged, ...harm } = await runCrash(seed, 20, databaseUrl)
    expect({ seed, ...harm }).toMatchObject({ seed, lost: [], doubled: [], surprises: [] })
    expect(kills).toBeGreaterThanOrEqual(20)
    expect(acknowledged).toBeGreaterThan(20)
  },
)

it.skipIf(!canCutPower())(
  'every acknowledged lead survives a power cut',
  { concurrent: true },
  async () => {
    const { acknowledged, ...harm } = await cutPower(seed, 8)
    expect({ seed, ...harm }).toEqual({ seed, lost: [], damaged: [] })
    expect(acknowledged).toBeGreaterThan(10)
  },
)
