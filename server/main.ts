import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { nameError } from '#leads/log.ts'
import { readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { createLog } from './log.ts'
import { startSite } from './site-server.ts'

// Messages for people go to stdout, and the structured log goes to stderr.
const print = (text: string) => process.stdout.write(`${text}\n`)
process.stdout.on('error', () => {})
const log = createLog(process.stderr)

const forceExitMs = 9_500
const flushLogMs = 500

try {
  const env = readEnv(process.env)
  const siteDir = join(import.meta.dirname, '../dist')
  const site = await startSite({ env, siteDir, fetch, now: Date.now, log })
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping')
    // Always exit within 10 s; unfinished deliveries are retried when their lease expires.
    setTimeout(() => process.exit(0), forceExitMs).unref()
    // Draining helps only if a proxy polls /readyz. Ctrl-C should stop immediately.
    const drains = signal === 'SIGTERM' && Boolean(env.trustedProxies)
    await site
      .stop({ drains })
      .catch((error) => log.error({ error: nameError(error) }, 'shutdown failed'))
    log.info({}, 'stopped')
    // Flush the log, but do not wait for a stalled reader.
    setTimeout(() => process.exit(0), flushLogMs)
    process.stderr.write('', () => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)

  // A public site's output may be stored in a log, which must not contain a sign-in link.
  const isPublic = [env.publicUrl, env.desk?.url].some((url) => url?.startsWith('https:'))
  const link = isPublic ? undefined : await site.desk?.makeLink().catch(() => undefined)
  print(`The site is at http://localhost:${site.port}`)
  // Skip this if HOST is set, as it is in a container, whose IP address a phone cannot reach.
  const lan = process.env.HOST || env.publicUrl.startsWith('https:') ? undefined : findLanAddress()
  if (lan) print(`On a phone on the same network: http://${lan}:${site.port}`)
  if (site.desk) print(`The desk is at ${site.desk.url}`)
  if (link) print(`Sign in to the desk with this link within 15 minutes. It works once: ${link}`)
  for (const { text } of site.problems) print(text)
  if (site.problems.some(({ severity }) => severity !== 'note'))
    print('To see what is left to do before going live, run: npm run doctor')
  log.info({ port: site.port, problems: site.problems.map(({ id }) => id) }, 'listening')
} catch (error) {
  const { message, stack } = error as Error
  process.stderr.write(`${error instanceof UserError ? message : stack}\n`)
  process.exit(1)
}

function findLanAddress(): string | undefined {
  try {
    const all = Object.values(networkInterfaces()).flat()
    return all.find((each) => each?.family === 'IPv4' && !each.internal)?.address
  } catch {
    // Some sandboxes forbid this call.
    return undefined
  }
}
