import { system as ownSystem, type System } from '../channels/system.ts'
import type { MachineFacts } from '../health/check.ts'
import { examine } from '../health/examine.ts'
import { escapeHtml, toOneLine } from '../safe-text.ts'
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
    findPageFault,
    system = ownSystem,
    ...hooks
  }: Pick<DeskHooks, 'sendPage' | 'wake' | 'page'> & {
    readMachine: () => Promise<MachineFacts>
    /** Why visitors do not see the published page. */
    findPageFault?: () => string | undefined
    system?: System
  },
): DeskApp {
  const { env, hours, company, db, now } = context
  const listWarnings = async (): Promise<DeskWarning[]> => {
    const machine = await readMachine().catch(() => undefined)
    const problems = await examine('desk', {
      env,
      hours: hours(),
      db,
      now,
      machine,
      pageFault: findPageFault?.(),
    })
    return problems.flatMap(({ id, severity, forOwner }) =>
      forOwner ? [{ id, severity, ...forOwner }] : [],
    )
  }
  let last: { at: number; warnings: Promise<DeskWarning[]> } | undefined
  const { timers } = system
  const pause = createPause(timers)
  const { email } = env
  /** Throws if the mail server rejects the email. */
  const send =
    email &&
    (async (to: string, content: DeskEmail): Promise<void> => {
      await system.openMailServer(email.smtpUrl).sendMail({
        from: email.from,
        to,
        ...content,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    })
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
      sendLink: send && ((to, link) => send(to, formatLinkEmail(link, company().name))),
      sendInvitation:
        send &&
        ((to, inviter) =>
          send(to, formatInvitation(toOneLine(inviter), env.desk.url, company().name))),
      listWarnings: () => {
        if (!last || now() - last.at >= warningsReuseMs)
          last = { at: now(), warnings: listWarnings() }
        return last.warnings
      },
    },
  )
}

type DeskEmail = { subject: string; text: string; html: string }

function formatLinkEmail(link: string, company: string): DeskEmail {
  const note =
    'This link works once and expires in 15 minutes. If you didn’t request it, ignore this email.'
  return {
    subject: `Sign in to the ${company} desk`,
    text: `Open the desk:\n${link}\n\n${note}\n`,
    html: `<p><a href="${escapeHtml(link)}">Open the desk</a></p><p>${note}</p>`,
  }
}

/** Contains no token, so that a forwarded invitation lets nobody in. */
function formatInvitation(inviter: string, url: string, company: string): DeskEmail {
  const welcome = `${inviter} added you to the ${company} desk, which shows the crew who to call next.`
  const steps =
    'Enter the address where you got this email, and we’ll send you a sign-in link. If you didn’t expect this, ignore this email.'
  return {
    subject: `${inviter} invited you to the ${company} desk`,
    text: `${welcome}\n\nOpen the desk:\n${url}\n\n${steps}\n`,
    html: `<p>${escapeHtml(welcome)}</p><p><a href="${escapeHtml(url)}">Open the desk</a></p><p>${steps}</p>`,
  }
}
