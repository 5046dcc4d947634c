import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { nameError } from '#leads/log.ts'
import { readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { findSamples } from '#site/build/samples.ts'
import * as content from '#site/content.ts'
import { createLog } from './log.ts'
import { startSite } from './site-server.ts'

// Sentences for a person go to stdout, the structured log to stderr: each can be read by itself.
const say = (text: string) => process.stdout.write(`${text}\n`)
process.stdout.on('error', () => {})
const log = createLog(process.stderr)

const lastResortMs = 9_500
const lastLinesMs = 500

try {
  const env = readEnv(process.env)
  const siteDir = join(import.meta.dirname, '../dist')
  const keptAssets = process.env.ASSETS_DIR?.trim() || undefined
  const site = await startSite({ env, siteDir, keptAssets, fetch, now: Date.now, log })
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping')
    // Within 10 s whatever hangs: what is not settled by then is taken up again by its lease.
    setTimeout(() => process.exit(0), lastResortMs).unref()
    // Ctrl-C means now; and without a proxy in front there is nobody to tell.
    const drains = signal === 'SIGTERM' && Boolean(env.trustedProxies)
    await site
      .stop({ drains })
      .catch((error) => log.error({ error: nameError(error) }, 'stopping failed'))
    log.info({}, 'stopped')
    // A slow reader gets the last lines, too; one that has stalled holds nobody up.
    setTimeout(() => process.exit(0), lastLinesMs)
    process.stderr.write('', () => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)

  say(`The site is at http://localhost:${site.port}`)
  // Not where HOST was chosen: in a container it would be an address that no phone knows.
  const lan = process.env.HOST || env.publicUrl.startsWith('https:') ? undefined : findLanAddress()
  if (lan) say(`On a phone in the same network: http://${lan}:${site.port}`)
  // A public site's output is kept in a log, where a way in must not stand.
  const isPublic = [env.publicUrl, env.desk?.url].some((url) => url?.startsWith('https:'))
  if (site.desk)
    say(
      isPublic
        ? `The desk is at ${site.desk.url}`
        : `The desk opens here, once, within 15 minutes: ${await site.desk.makeLink().catch(() => site.desk?.url)}`,
    )
  for (const sentence of site.notSetUp) say(sentence)
  const samples = findSamples(content)
  // Sample content on https is on its way to the public; on a laptop it is the template at work.
  if (samples.length > 0 && env.publicUrl.startsWith('https://')) {
    say(`Visitors of ${env.publicUrl} see sample content. US law fines invented testimonials.`)
    log.warn({ samples: samples.length }, 'the public site shows sample content: npm run doctor')
  }
  if (samples.length > 0 || site.notSetUp.length > 0)
    say('What is left to do before going live: npm run doctor')
  log.info({ port: site.port, notSetUp: site.notSetUp }, 'listening')
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
    // Some sandboxes do not let a program ask.
    return undefined
  }
}
