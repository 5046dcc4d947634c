import { expect, it } from 'vitest'
import { createLocation, engines } from '#testing/database.ts'
import { runCrash } from './crash-run.ts'
import { canCutPower, cutPower } from './power-cut.ts'

// The short form of `npm run bench:crash`; a new seed each time, and the one that failed is printed.
const seed = Date.now() % 1_000_000

it.concurrent.each(engines)(
  'every acknowledged lead has one row and its alerts, however often %s’s servers are killed',
  { timeout: 600_000 },
  async (engine) => {
    const { databaseUrl } = await createLocation(engine)
    const { kills, acknowledged, ...harm } = await runCrash({ seed, kills: 20, databaseUrl })
    const none = { seed, lost: [], doubled: [], surprises: [] }
    expect({ seed, ...harm }).toMatchObject(none)
    expect(kills).toBeGreaterThanOrEqual(20)
    expect(acknowledged).toBeGreaterThan(20)
  },
)

it.skipIf(!canCutPower())(
  'every acknowledged lead survives a power cut',
  { concurrent: true },
  async () => {
    const { acknowledged, ...harm } = await cutPower({ seed, cuts: 8 })
    expect({ seed, ...harm }).toEqual({ seed, lost: [], damaged: [] })
    expect(acknowledged).toBeGreaterThan(10)
  },
)
