import { explainMailError } from '../channels/mail-server.ts'
import type { Context } from '../context.ts'
import type { MachineFacts } from '../health/check.ts'
import { findProblems } from '../health/find-problems.ts'
import { escapeHtml, toOneLine } from '../safe-text.ts'
import { listDevices } from '../store/push-devices.ts'
import { forgetMailFault } from '../store/stored-settings.ts'
import { minuteMs } from '../time-units.ts'
import { createDesk } from './app.ts'
import type { DeskApp, DeskContext, DeskWarning, Invitation } from './routes.ts'
import type { SignInEmail } from './sign-in.ts'

// Each open desk polls every two seconds, but warnings change slowly.
const warningsReuseMs = 5_000
const laterMs = 500
// Strangers can use the sign-in screen, and mail servers may lock out a site that signs in too often.
const loginReuseMs = minuteMs

/** The desk can run in the site's process or in a separate one, on the same database. */
export function createDeskService(
  context: Context,
  {
    readMachine,
    findPageFault,
    ...own
  }: Pick<DeskContext, 'url' | 'sendPage' | 'readClientAddress' | 'wake' | 'addPageRoutes'> & {
    readMachine: () => Promise<MachineFacts>
    /** Why visitors do not see the published page. */
    findPageFault?: () => string | undefined
  },
): DeskApp {
  const { env, company, db, now, timers } = context
  const listWarnings = async (): Promise<DeskWarning[]> => {
    const machine = await readMachine().catch(() => undefined)
    const problems = await findProblems('desk', context, { machine, pageFault: findPageFault?.() })
    return problems.flatMap(({ forOwner: text, id, severity, forCrew, action }) =>
      text === undefined ? [] : [{ id, severity, forCrew, text, action }],
    )
  }
  let last: { at: number; warnings: Promise<DeskWarning[]> } | undefined
  const { email } = env
  const mailServer = email && context.openMailServer(email.smtpUrl)
  let login: { at: number; fault: Promise<string | undefined> } | undefined
  // Do not use the stored fault: sending a link clears it, which would reveal to a stranger whether an email address
  // can sign in.
  async function findMailFault(): Promise<string | undefined> {
    if (mailServer && (!login || now() - login.at >= loginReuseMs))
      login = { at: now(), fault: mailServer.verify().then(() => undefined, explainMailError) }
    return login?.fault
  }
  // Forget the last failure and try signing in again, because the settings may have changed since.
  if (mailServer)
    void forgetMailFault(db)
      .then(findMailFault)
      .catch(() => {})
  /** Throws if the mail server rejects the email. */
  const send =
    mailServer &&
    (async (to: string, content: DeskEmail): Promise<void> => {
      await mailServer.sendMail({
        from: email?.from,
        to,
        ...content,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    })
  return createDesk({
    ...context,
    ...own,
    // The shared reader could miss a device that was just added.
    readDevices: () => listDevices(db, { ...env, now: now() }),
    wake: () => {
      // Clear the cached warnings, because the action may have solved a problem.
      last = undefined
      own.wake()
    },
    findMailFault,
    runLater: (work) => void timers.start(laterMs, work),
    sendLink: send && ((to, content) => send(to, formatSignIn(content, company().name))),
    sendInvitation: send && ((to, content) => send(to, formatInvitation(content, company().name))),
    listWarnings: () => {
      if (!last || now() - last.at >= warningsReuseMs)
        last = { at: now(), warnings: listWarnings() }
      return last.warnings
    },
  })
}

type DeskEmail = { subject: string; text: string; html: string }

function formatSignIn({ link, code, requester }: SignInEmail, company: string): DeskEmail {
  const asked = `${requester} asked to sign in to the ${company} desk.`
  const enter = 'Enter this code on the sign-in screen:'
  const note =
    'Use the code or the link. Both expire in 15 minutes. Never tell anyone the code. If you didn’t ask for this, ignore this email.'
  return {
    subject: `${code} is your code for the ${company} desk`,
    text: `${asked}\n\n${enter}\n${code}\n\nOr open this link:\n${link}\n\n${note}\n`,
    html: `<p>${escapeHtml(asked)}</p><p>${enter}</p><p style="font-size:28px;letter-spacing:4px"><strong>${code}</strong></p><p>Or <a href="${escapeHtml(link)}">open the desk with this link</a>.</p><p>${note}</p>`,
  }
}

function formatInvitation({ inviter, link }: Invitation, company: string): DeskEmail {
  const from = toOneLine(inviter)
  const welcome = `${from} added you to the ${company} desk, which shows the crew who to call next.`
  const note =
    'This link signs you in. It works once, within 7 days, so don’t forward it. If you didn’t expect this, ignore this email.'
  return {
    subject: `${from} invited you to the ${company} desk`,
    text: `${welcome}\n\nOpen the desk:\n${link}\n\n${note}\n`,
    html: `<p>${escapeHtml(welcome)}</p><p><a href="${escapeHtml(link)}">Open the desk</a></p><p>${note}</p>`,
  }
}
