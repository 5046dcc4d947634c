import { createDeviceReader } from './channels/channels.ts'
import { rememberFaults } from './channels/mail-server.ts'
import { system as ownSystem, type System } from './channels/system.ts'
import type { BusinessHours } from './hours.ts'
import type { Log } from './log.ts'
import type { Env } from './settings.ts'
import type { PushDevice } from './store/push-devices.ts'
import type { Database } from './store/tables.ts'
import { createPause } from './timers.ts'

/** The company's details in emails and on the desk. */
export type Company = { name: string; phone: string; email?: string | undefined }

/** All parts of the back end share this. A part that needs only some fields picks them. */
export type Context = System & {
  env: Env
  db: Database
  /** The published hours and details, which the owner may change while the site runs. */
  hours: () => BusinessHours
  company: () => Company
  fetch: typeof fetch
  now: () => number
  pause: (ms: number) => Promise<void>
  log: Log
  /** After `timeoutMs`, returns the devices of the last successful read. */
  readDevices: (timeoutMs?: number) => Promise<readonly PushDevice[]>
}

type Given = Pick<Context, 'env' | 'db' | 'hours' | 'company' | 'fetch' | 'now' | 'log'>

export function createContext({
  system = ownSystem,
  ...given
}: Given & { system?: System }): Context {
  const context = { ...given, ...system, pause: createPause(system.timers) }
  return {
    ...context,
    openMailServer: rememberFaults(system.openMailServer, context),
    readDevices: createDeviceReader(context),
  }
}
