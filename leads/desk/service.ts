import type { Hono } from 'hono'
import { openMailServer } from '../channels/email.ts'
import type { MachineFacts } from '../health/check.ts'
import { examine } from '../health/examine.ts'
import { escapeHtml } from '../safe-text.ts'
import { listDevices } from '../store/push-devices.ts'
import { createDesk } from './app.ts'
import type { DeskContext, DeskHooks, DeskWarning, Route } from './routes.ts'

// Each open desk asks every two seconds, and the warnings do not change that fast.
const warningsReuseMs = 5_000
const laterMs = 500

/** Wires the desk. It runs beside the site or alone, on the same database. */
export function createDeskService(
  context: Pick<DeskContext, 'env' | 'db' | 'fetch' | 'now' | 'log'>,
  {
    company,
    readMachine,
    ...hooks
  }: Pick<DeskHooks, 'findClientAddress' | 'sendPage' | 'wake'> & {
    company: string
    readMachine: () => Promise<MachineFacts>
  },
): { app: Hono; routes: readonly Route[] } {
  const { env, db, now } = context
  const findWarnings = async (): Promise<DeskWarning[]> => {
    const machine = await readMachine().catch(() => undefined)
    const problems = await examine('desk', { env, db, now, machine })
    return problems.flatMap(({ id, severity, forOwner }) =>
      forOwner ? [{ id, severity, ...forOwner }] : [],
    )
  }
  let last: { at: number; warnings: Promise<DeskWarning[]> } | undefined
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const { email } = env
  return createDesk(
    { ...context, pause, readDevices: () => listDevices(db, { ...env, now: now() }) },
    {
      ...hooks,
      runLater: (work) => void setTimeout(work, laterMs),
      sendLink: email && ((to, link) => mailLink(to, link, { ...email, company })),
      findWarnings: () => {
        if (!last || now() - last.at >= warningsReuseMs)
          last = { at: now(), warnings: findWarnings() }
        return last.warnings
      },
    },
  )
}

/** Throws if the mail server does not accept the mail. */
async function mailLink(
  to: string,
  link: string,
  { smtpUrl, from, company }: { smtpUrl: string; from: string; company: string },
): Promise<void> {
  const note = 'It works once, for 15 minutes. If you did not ask for it, delete this mail.'
  await openMailServer(smtpUrl).sendMail({
    from,
    to,
    subject: `Sign in to the desk of ${company}`,
    text: `Open the desk:\n${link}\n\n${note}\n`,
    html: `<p><a href="${escapeHtml(link)}">Open the desk</a></p><p>${note}</p>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
