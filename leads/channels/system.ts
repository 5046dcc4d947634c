import { buildPushPayload } from '@block65/webcrypto-web-push'
import { createTransport } from 'nodemailer'
import { systemTimers, type Timers } from '../timers.ts'
import type { MailServer } from './mail-server.ts'

/** Functions of the system and of libraries. The simulation replaces them. */
export type System = {
  timers: Timers
  random: () => number
  makeId: () => string
  openMailServer: (url: string) => MailServer
  encryptPush: typeof buildPushPayload
}

export const system: System = {
  timers: systemTimers,
  random: Math.random,
  makeId: () => crypto.randomUUID(),
  openMailServer: (url) =>
    createTransport({
      url,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  encryptPush: buildPushPayload,
}
