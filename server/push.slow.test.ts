import { expect, it, onTestFinished } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { push as pushChannel } from '#leads/channels/push.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines } from '#testing/database.ts'
import { listPendingChannels, savePhone } from '#testing/saved-leads.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

const leads = 60

it.each(engines)(
  'notifies a device of every lead on %s even if the server is killed',
  async (engine) => {
    const push = await startFakePush()
    onTestFinished(() => push.close())
    const location = await createLocation(engine)
    const db = await openDatabase(location)
    onTestFinished(() => db.close())
    const { endpoint, keys } = push.addPhone('phone')
    await savePhone(db, { endpoint, ...keys, createdAt: Date.now() })
    // Push services require https, so redirect requests for the fake's host to its local server.
    const redirect = `const own = fetch
    globalThis.fetch = (input, init) => own(String(input).replace('https://${pushHost}', '${push.url}'), init)`
    const start = () =>
      spawnServer({
        RATE_LIMIT_PER_MINUTE: '0',
        ESCALATE_AFTER_MINUTES: '9',
        DATA_DIR: location.dataDir,
        DATABASE_URL: location.databaseUrl,
        PUSH_SERVICES: pushHost,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(redirect)}`,
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
      (await listPendingChannels(db)).every((channel) => !channel.startsWith('push')),
    )
    const byLead = Map.groupBy(push.messages, ({ data }) => data.lead.leadId)
    expect(byLead.size).toBe(leads)
    // Only the batch in flight at the kill may arrive twice. A repeat replaces the first on the phone.
    const repeated = [...byLead.values()].filter((some) => some.length > 1)
    expect(repeated.length).toBeLessThanOrEqual(pushChannel.batchSize)
  },
)
