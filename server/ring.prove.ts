import { describe, expect, it, onTestFinished } from 'vitest'
import { pushHost, startPushStandIn } from '#demo/push-stand-in.ts'
import { saveDevice } from '#leads/store/push-devices.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines } from '#testing/database.ts'
import { spawnProcess, waitUntil } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

const leads = 60

describe.each(engines)('phones on %s', (engine) => {
  it('ring for every lead although the server is killed, and hardly one twice', async () => {
    const push = await startPushStandIn()
    onTestFinished(() => push.close())
    const location = await createLocation(engine)
    const db = await openDatabase(location)
    onTestFinished(() => db.close())
    const { endpoint, keys } = push.addPhone('phone')
    await saveDevice(db, {
      ...{ id: crypto.randomUUID(), sessionId: '', endpoint, ...keys, person: 'Sam', name: 'x' },
      ...{ ringsFrom: 0, quietUntil: 0, emergenciesRing: true, createdAt: 0, goneAt: null },
    })
    const start = () =>
      spawnProcess(process.execPath, ['--import', './testing/push-fetch.ts', 'server/main.ts'], {
        ...{
          PORT: '0',
          HOST: '127.0.0.1',
          RATE_LIMIT_PER_MINUTE: '0',
          ESCALATE_AFTER_MINUTES: '9',
        },
        ...{ DATA_DIR: location.dataDir, DATABASE_URL: location.databaseUrl },
        ...{ PUSH_SERVICES: pushHost, PUSH_STAND_IN: push.url },
      })
    let server = start()
    let url = await server.findUrl()
    for (let at = 0; at < leads; at++) {
      const sent = await postLead(url, { ...testLead, name: `Zoë ${at}` })
      expect(sent.status).toBe(200)
      if (at !== leads / 2) continue
      await server.kill('SIGKILL')
      server = start()
      url = await server.findUrl()
    }
    await waitUntil(async () =>
      (await countWaiting(db)).every(({ channel }) => !channel.startsWith('push')),
    )
    const rings = Map.groupBy(push.messages, ({ data }) => data.ring.leadId)
    expect(rings.size).toBe(leads)
    expect([...rings.values()].filter((some) => some.length > 1).length).toBeLessThanOrEqual(1)
  })
})
