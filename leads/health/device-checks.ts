import { isWanted } from '../channels/push.ts'
import { promiseMs } from '../deadline.ts'
import { findClosure, findShift } from '../hours.ts'
import { canNotify, type PushDevice } from '../store/push-devices.ts'
import { type Check, defineCheck, type OwnerAction } from './check.ts'

/** Returns undefined if there are no devices. */
const listNames = (devices: readonly PushDevice[] = []) =>
  devices.length > 0
    ? new Intl.ListFormat('en-US').format(devices.map(({ name, person }) => `${name} (${person})`))
    : undefined

const openPeople: OwnerAction = { label: 'Open People', kind: 'open', route: '#/people' }

/** Checks the next closure, so that the warning appears while the company is still open. */
export const nobodyOnCall = defineCheck({
  id: 'nobody-on-call',
  runsIn: ['desk', 'doctor'],
  find: ({ env, hours, database, now }) => {
    const closure = hours.emergencies === 'always' ? findClosure(now, hours) : undefined
    if (!closure || !database || env.sms) return
    const at = closure.from
    const lead = { serviceType: 'emergency' as const, email: '', deadlineAt: at + promiseMs }
    const event = { lead, reason: 'received' as const, at, shift: findShift(at, hours) }
    return !database.devices.some((device) => canNotify(device) && isWanted(device, event))
  },
  forOwner: () => ({
    text: 'If an emergency comes in while you’re closed, no phone is notified.',
    action: { ...openPeople, label: 'Choose who is on call' },
  }),
  forDeveloper: () => ({
    text: 'If an emergency comes in while the company is closed, no phone is notified, although the page promises a call within 10 minutes.',
    next: 'Set a phone to “Always” or “After hours” on the desk, under People. Or set ALERT_SMS_TO in .env, or emergencies to “when open” in site/content.ts',
  }),
})

export const deviceChecks: readonly Check[] = [
  defineCheck({
    id: 'push-device-gone',
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => listNames(database?.devices.filter((device) => !canNotify(device))),
    forOwner: (devices) => ({
      text: `Notifications no longer reach ${devices}. Open the desk there and turn on notifications again, or remove the device.`,
      action: openPeople,
    }),
    forDeveloper: (devices) => ({
      text: `Notifications no longer reach ${devices}. The push service dropped the device, or its session ended.`,
      next: 'Turn on notifications there again, or remove the device on the desk, under People',
    }),
  }),
  defineCheck({
    id: 'push-device-silent',
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => listNames(database?.silentDevices),
    forOwner: (devices) => ({
      text: `${devices} may not be receiving notifications. Send a test, and open the desk there if nothing appears.`,
      action: openPeople,
    }),
    forDeveloper: (devices) => ({
      text: `${devices} may not be receiving notifications. The device confirmed none of its last 3 leads.`,
      next: 'On the desk, under People, choose Test. If nothing appears, open the desk on that device to subscribe again, and repeat the test',
    }),
  }),
]
