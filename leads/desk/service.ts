import { system as ownSystem, type System } from '../channels/system.ts'
import type { MachineFacts } from '../health/check.ts'
import { examine } from '../health/examine.ts'
import { escapeHtml } from '../safe-text.ts'
import { listDevices } from '../store/push-devices.ts'
import { createPause } from '../timers.ts'
import { createDesk } from './app.ts'
import type { DeskApp, DeskContext, DeskHooks, DeskWarning } from './routes.ts'

// Each open desk polls every two seconds, but warnings change slowly.
const warningsReuseMs = 5_000
const laterMs = 500

/** The desk can run in the site's process or in a separate one, on the same database. */
export function createDeskService(
  context: Pick<DeskContext, 'env' | 'hours' | 'company' | 'db' | 'fetch' | 'now' | 'log'>,
  {
    readMachine,
    system = ownSystem,
    ...hooks
  }: Pick<DeskHooks, 'sendPage' | 'wake'> & {
    readMachine: () => Promise<MachineFacts>
    system?: System
  },
): DeskApp {
  const { env, hours, company, db, now } = context
  const findWarnings = async (): Promise<DeskWarning[]> => {
    const machine = await readMachine().catch(() => undefined)
    const problems = await examine('desk', { env, hours: hours(), db, now, machine })
    return problems.flatMap(({ id, severity, forOwner }) =>
      forOwner ? [{ id, severity, ...forOwner }] : [],
    )
  }
  let last: { at: number; warnings: Promise<DeskWarning[]> } | undefined
  const { timers } = system
  const pause = createPause(timers)
  const { email } = env
  return createDesk(
    { ...context, ...system, pause, readDevices: () => listDevices(db, { ...env, now: now() }) },
    {
      ...hooks,
      wake: () => {
        // Clear the cached warnings, because the action may have solved a problem.
        last = undefined
        hooks.wake()
      },
      runLater: (work) => void timers.start(laterMs, work),
      sendLink:
        email &&
        ((to, link) => mailLink(to, link, { ...email, ...system, company: company().name })),
      findWarnings: () => {
        if (!last || now() - last.at >= warningsReuseMs)
          last = { at: now(), warnings: findWarnings() }
        return last.warnings
      },
    },
  )
}

/** Throws if the mail server rejects the email. */
async function mailLink(
  to: string,
  link: string,
  {
    smtpUrl,
    from,
    company,
    openMailServer,
  }: Pick<System, 'openMailServer'> & { smtpUrl: string; from: string; company: string },
): Promise<void> {
  const note =
    'This link works once and expires in 15 minutes. If you didn’t request it, ignore this email.'
  await openMailServer(smtpUrl).sendMail({
    from,
    to,
    subject: `Sign in to the ${company} desk`,
    text: `Open the desk:\n${link}\n\n${note}\n`,
    html: `<p><a href="${escapeHtml(link)}">Open the desk</a></p><p>${note}</p>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
