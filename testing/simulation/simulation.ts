import { sql } from 'kysely'
import { saveSession } from '#leads/store/sign-in.ts'
import { writeSetting } from '#leads/store/stored-settings.ts'
import { hourMs, minuteMs } from '#leads/time-units.ts'
import { type DatabaseLocation, migrationsDir, openDatabase } from '#server/database.ts'
import { dayHours as hours, listLeads } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { crew } from './crew.ts'
import { readDesk } from './desk-view.ts'
import { createHistory } from './observed-changes.ts'
import { createPeople, deskUrl, linkSecret, siteUrl } from './people.ts'
import { createPhones } from './phones.ts'
import { type Process, startProcess } from './process.ts'
import { sentences } from './sentences.ts'
import { createServices, serviceNames } from './services.ts'
import { createWorld, secondMs } from './world.ts'

const leadsPerSeed = 6
// Enough for several Airtable batches.
const leadsOfBusyNight = 24
const eventsPerSeed = 14
// At night, shortly before we open, while we are open, and shortly before we close.
const startTimes = ['02:00', '06:40', '09:00', '17:40']

/**
 * Runs the service in two processes on one database, with a virtual clock, fakes of all services, and faults. The seed
 * determines everything that happens. After the faults stop, the simulation runs until nothing is due. Returns the
 * sentences that do not hold, and all events in plain words.
 */
export async function simulate(seed: number, location: DatabaseLocation) {
  const startAt = Date.parse(`2026-11-17T${startTimes[seed % startTimes.length]}-06:00`)
  const world = createWorld(seed, startAt)
  const open = async () => {
    const clock = { now: world.elapsed, pause: world.pass }
    // Connecting to PostgreSQL takes real time.
    if (location.databaseUrl) world.inFlight.start()
    const db = await openDatabase(location, migrationsDir, clock)
    if (location.databaseUrl) world.inFlight.end()
    // The simulation has no power loss. bench/power-loss.ts tests that.
    if (db.engine === 'sqlite') await sql`pragma synchronous = off`.execute(db.kysely)
    return db
  }
  const observer = await open()
  const services = createServices(world)
  const history = createHistory(world, observer, hours)
  const processes: Process[] = []
  const { leads } = history
  const people = createPeople(world, services, { listProcesses: () => processes, leads })
  const isEdge = world.chance(0.25)
  const has = { sms: world.chance(0.3), webhook: world.chance(0.3), phones: world.chance(0.5) }
  const isBusyNight = seed % startTimes.length === 0 && world.chance(0.5)
  const leadsOfSeed = isBusyNight ? leadsOfBusyNight : leadsPerSeed
  const phones = createPhones(world, services, {
    db: observer,
    noteWrite: () => history.noteWrite(false),
  })
  const env = makeSettings({
    ...services.env,
    PUBLIC_URL: siteUrl,
    LINK_SECRET: linkSecret,
    DESK_URL: deskUrl,
    DESK_EMAIL_TO: 'owner@example.com',
    ALERT_EMAIL_TO: 'crew@example.com',
    CONFIRMATION_EMAIL: 'on',
    ALERT_SMS_TO: has.sms ? '+15551230001' : '',
    ...(!has.webhook && { ALERT_WEBHOOK_URL: '' }),
  })
  const recipients = [
    { recipient: /^email/, getsSpam: true },
    ...(has.webhook ? [{ recipient: /^webhook/, getsSpam: true }] : []),
    ...(has.sms ? [{ recipient: /^sms/, getsSpam: false }] : []),
  ]

  await emptyTables()
  await addCrew()
  await start(0)
  await start(1)
  if (isEdge) callCron()
  await runWithFaults()
  await stopFaults()
  const isFinished = await runUntilNothingIsDue()
  const violations = isFinished ? await findViolations() : ['Something is still due after two days']
  for (const process of processes) await process.kill()
  await observer.close()
  return { violations, events: world.listEvents() }

  async function emptyTables() {
    const used = [
      'deliveries',
      'leadEvents',
      'leads',
      'recipients',
      'settings',
      'deskSessions',
      'deskLog',
    ] as const
    for (const table of [...used, 'pushDevices', 'confirmationLimits'] as const)
      await observer.kysely.deleteFrom(table).execute()
  }

  async function addCrew() {
    const seenAt = world.now() - minuteMs
    // Store empty keys: creating real ones takes real time, and nothing is encrypted here.
    await writeSetting(observer, 'vapid-keys', '{}')
    for (const { person, tokenHash } of crew) {
      const session = { id: person, email: 'owner@example.com', person, device: 'Phone', seenAt }
      await saveSession(observer, session, { tokenHash, replacedHash: undefined })
      if (has.phones) await phones.add(person, person)
    }
  }

  async function start(at: number) {
    if (processes[at]?.isDead === false) return
    const options = { env, hours, history, isEdge, openDatabase: open }
    const name = at === 0 ? 'A' : 'B'
    processes[at] = await startProcess(world, services, { ...options, name })
  }

  /** Simulates Supabase's cron job, which calls the function every minute. */
  function callCron() {
    const url = `${siteUrl}/functions/v1/submit-to-airtable/deliver`
    const call = (process: Process, ms: number) => {
      const request = new Request(url, { method: 'POST', headers: { apikey: 'public-anon-key' } })
      world.schedule(ms, () => void process.app.fetch(request), process)
    }
    // Supabase starts another worker while one is busy, so runs can overlap.
    for (const process of world.chance(0.3) ? processes : [world.pick(processes)])
      call(process, world.between(0, 50))
    world.schedule(minuteMs, callCron)
  }

  /** Lists the possible events with their relative frequencies. */
  function listEvents(): [weight: number, what: () => unknown][] {
    const at = world.between(0, 1)
    const process = processes[at] as Process
    const { name, faults, isDead } = process
    const disturb = (what: string) => {
      world.say(what)
      services.excuse(process)
    }
    const computeEnd = (from: number, to: number) =>
      world.elapsed() + world.between(from, to) * secondMs
    const kill = async () => {
      disturb(`Process ${name} is killed.`)
      void process.kill()
      await world.pass(world.between(1, 60) * secondMs)
      await start(at)
    }
    const pause = () => {
      disturb(`Process ${name} is paused.`)
      // Half of the pauses are longer than any channel's lease.
      process.pausedUntil = world.chance(0.5) ? computeEnd(46, 70) : computeEnd(1, 15)
    }
    const loseDatabase = () => {
      disturb(`Process ${name} loses the database.`)
      faults.downUntil = computeEnd(1, 40)
    }
    const loseQueries = () => {
      disturb(`Some queries of process ${name} fail.`)
      faults.flakyUntil = computeEnd(5, 30)
    }
    const failService = () => {
      const service = world.pick(serviceNames)
      world.say(`${service} fails.`)
      services.startOutage(service, world.between(1, 5))
    }
    const jump = () => {
      const seconds = world.chance(0.5) ? world.between(30, 1_200) : -world.between(5, 90)
      world.say(`The clock jumps by ${seconds} seconds.`)
      world.jump(seconds * secondMs)
      for (const one of processes) services.excuse(one)
    }
    return [
      [people.visits.length < leadsOfSeed ? 10 : 0, people.visit],
      [people.visits.length < leadsOfSeed && !isBusyNight ? 4 : 0, people.add],
      [isBusyNight ? 3 : 8, () => people.press()],
      [1.5, () => people.press('corrected')],
      [1, people.setStatus],
      [1, people.erase],
      [has.phones ? 1 : 0, phones.swap],
      [isDead ? 0 : 2, kill],
      [1, pause],
      [1, loseDatabase],
      [1, loseQueries],
      [2, failService],
      [0.5, jump],
    ]
  }

  function chooseEvent(): () => unknown {
    const events = listEvents()
    let left = world.random() * events.reduce((sum, [weight]) => sum + weight, 0)
    return events.find(([weight]) => {
      left -= weight
      return left < 0
    })?.[1] as () => unknown
  }

  function chooseGapMs(): number {
    const kind = world.random()
    if (kind < 0.45) return world.between(0, 4_000)
    if (kind < 0.75) return world.between(5, 60) * secondMs
    return kind < 0.97 ? world.between(1, 7) * minuteMs : world.between(1, 6) * hourMs
  }

  async function runWithFaults(): Promise<void> {
    let nextAt = world.trueNow()
    for (let events = 0; events < eventsPerSeed || people.visits.length < leadsOfSeed; ) {
      if (world.trueNow() >= nextAt) {
        events += 1
        chooseEvent()()
        await world.drain()
        nextAt = world.trueNow() + chooseGapMs()
        // Without this task, the clock could move past the next event.
        world.schedule(nextAt - world.trueNow(), () => {})
      } else await advance(nextAt)
      await history.observe()
    }
  }

  async function stopFaults(): Promise<void> {
    world.say('The faults stop.')
    services.stopFaults()
    people.stopFaults()
    for (const [at, process] of processes.entries()) {
      process.pausedUntil = 0
      process.faults.downUntil = 0
      process.faults.flakyUntil = 0
      await start(at)
    }
  }

  /** Returns false if something is still due after two days. */
  async function runUntilNothingIsDue(): Promise<boolean> {
    const endAt = world.trueNow() + 48 * hourMs
    for (let version = 0; world.trueNow() < endAt; ) {
      if (isIdle() && version !== history.findVersion()) {
        version = history.findVersion()
        if (!(await history.hasDue())) return true
      }
      await advance(endAt)
      await history.observe()
    }
    return false
  }

  /** Moves on to the next task, or skips the time in which the processes would only poll. */
  async function advance(untilAt: number): Promise<void> {
    if (isIdle()) {
      const skipMs = Math.min(
        (await history.findNextDueAt()) - world.now(),
        untilAt - world.trueNow(),
      )
      if (skipMs > 0) return world.skip(skipMs)
    }
    await world.step()
  }

  function isIdle(): boolean {
    const isWaiting = ({ isDead, requests, sends, handled }: Process) =>
      !isDead && requests + sends + handled > 0
    return !world.isBusy() && !processes.some(isWaiting)
  }

  async function findViolations(): Promise<string[]> {
    const stored = await listLeads(observer, { limit: 100 })
    const reading = readDesk(
      people,
      stored.map(({ id }) => id),
    )
    let desk: Awaited<typeof reading> | undefined
    void reading.then((read) => {
      desk = read
    })
    while (!desk) await world.step()
    const endAt = world.now()
    const all = { hours, history, people, services, stored, desk, recipients }
    const end = { ...all, phones: phones.all, endAt }
    return Object.entries(sentences).flatMap(([sentence, find]) =>
      [...find(end)].map((where) => `${sentence}. (${where})`),
    )
  }
}

const lastEvents = 60

/** Returns what failed in the first seed for which a sentence does not hold. `SEED=123` repeats one seed. */
export async function findFailure(
  { from, count }: { from: number; count: number },
  location: DatabaseLocation,
): Promise<string | undefined> {
  const given = process.env.SEED
  const seeds = given ? [Number(given)] : Array.from({ length: count }, (_, at) => from + at)
  for (const seed of seeds) {
    const { violations, events } = await simulate(seed, location)
    if (violations.length > 0)
      return [`SEED=${seed}`, ...events.slice(-lastEvents), ...violations].join('\n')
  }
}
