// Serves only the desk, for a site whose function runs elsewhere (Supabase) on the same database.
import { createContext } from '#leads/context.ts'
import { readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { company, hours } from '#site/content.ts'
import { openDatabase } from './database.ts'
import { startDesk } from './desk-server.ts'
import { createLog } from './log.ts'

try {
  const env = readEnv(process.env)
  if (!env.desk)
    throw new UserError(
      'The desk is not set up. Set DESK_URL in .env to a URL such as https://desk.example.com.',
    )
  const db = await openDatabase(env)
  const context = createContext({
    env,
    hours: () => hours,
    company: () => company,
    db,
    fetch,
    now: Date.now,
    log: createLog(process.stderr),
  })
  // This process sends nothing; Supabase's cron sends due deliveries within a minute.
  const desk = await startDesk(context, { settings: env.desk, wake: () => {} })
  process.stdout.write(`The desk is at ${desk.url}\n`)
  // A public desk's output may be stored in a log, which must not contain a sign-in link.
  if (!desk.url.startsWith('https:'))
    process.stdout.write(
      `Sign in with this link within 15 minutes. It works once: ${await desk.makeLink()}\n`,
    )
  const stop = async () => {
    desk.stop()
    await db.close()
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
} catch (error) {
  const { message, stack } = error as Error
  process.stderr.write(`${error instanceof UserError ? message : stack}\n`)
  process.exit(1)
}
