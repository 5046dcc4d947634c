import type { SendMailOptions } from 'nodemailer'
import { forgetMailFault, readMailFault, saveMailFault } from '../store/stored-settings.ts'
import type { Database } from '../store/tables.ts'
import type { Timers } from '../timers.ts'
import { withTimeout } from '../with-timeout.ts'

export type MailServer = {
  sendMail(mail: SendMailOptions): Promise<unknown>
  /** Connects and signs in, but sends nothing. */
  verify(): Promise<unknown>
}

type OpenMailServer = (url: string) => MailServer

/** Stores the last failure, because the desk and doctor report it and may run in other processes. */
export const rememberFaults =
  (
    open: OpenMailServer,
    { db, now, timers }: { db: Database; now: () => number; timers: Timers },
  ): OpenMailServer =>
  (url) => {
    const server = open(url)
    // A database failure must not change the result of sending.
    const ignore = () => {}
    const save = async (error: unknown): Promise<never> => {
      const fault = { at: now(), error: explainMailError(error), isLogin: isLoginFault(error) }
      if (!isMailRefused(error)) await saveMailFault(db, fault).catch(ignore)
      throw error
    }
    return {
      sendMail: async (mail) => {
        const sent = await server.sendMail(mail).catch(save)
        await forgetMailFault(db).catch(ignore)
        return sent
      },
      verify: async () => {
        const verified = await logIn(server, timers).catch(save)
        // Signing in doesn't show whether the mail server accepts our emails, so a fault from sending stays until the
        // next email.
        const fault = await readMailFault(db).catch(ignore)
        if (fault?.isLogin) await forgetMailFault(db).catch(ignore)
        return verified
      },
    }
  }

// Someone is waiting for the result on the sign-in screen or at the terminal.
const loginTimeoutMs = 5_000

export const logIn = (server: MailServer, timers: Timers): Promise<unknown> =>
  withTimeout(loginTimeoutMs, () => server.verify(), timers)

/**
 * Returns true if the server permanently rejects this email. A 4xx is temporary. A rejected MAIL FROM concerns
 * ALERT_EMAIL_FROM, not one lead.
 */
export function isMailRefused(error: unknown): boolean {
  const { responseCode, command } = error as Record<string, unknown>
  return Number(responseCode) >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

const isLoginFault = (error: unknown): boolean => {
  const { code, responseCode } = error as Record<string, unknown>
  return code === 'EAUTH' || responseCode === undefined
}

/** Keeps only codes, because the server's messages may contain addresses. */
export function explainMailError(error: unknown): string {
  const { name, code, responseCode, command } = error as Record<string, unknown>
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'The mail server didn’t respond in time.'
  const codes = [
    typeof code === 'string' && /^E[A-Z]+$/.test(code) && code,
    typeof responseCode === 'number' && responseCode,
    typeof command === 'string' && /^[A-Z ]{1,20}$/.test(command) && `at ${command}`,
  ]
    .filter(Boolean)
    .join(' ')
  const where = codes ? ` (${codes})` : ''
  if (code === 'EAUTH')
    return `The mail server rejected the site’s user name or password. Check SMTP_URL${where}.`
  if (typeof responseCode === 'number') return `The mail server rejected the email${where}.`
  return `The mail server couldn’t be reached. Check SMTP_URL${where}.`
}
