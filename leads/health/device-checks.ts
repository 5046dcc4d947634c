import type { Channel } from '../channels/channel-type.ts'
import { channels, wakingChannels } from '../channels/channels.ts'
import { canNotify, isOn, type PushDevice } from '../store/push-devices.ts'
import { type Check, defineCheck, type OwnerAction } from './check.ts'

/** Returns undefined if there are no devices. */
const nameDevices = (devices: readonly PushDevice[] = []) =>
  devices.length > 0
    ? {
        names: new Intl.ListFormat('en-US').format(
          devices.map(({ name, person }) => `${name} (${person})`),
        ),
        which: devices.length === 1 ? 'that device' : 'each of these devices',
      }
    : undefined

const openPeople: OwnerAction = { label: 'Open People', kind: 'open', route: '#/people' }

const listHints = (some: readonly Channel[]) =>
  new Intl.ListFormat('en-US', { type: 'disjunction' }).format(
    some.flatMap(({ setupHint = [] }) => setupHint),
  )
const asleep = 'None of the alerts that are set up can wake a phone.'

const texts = {
  ever: {
    owner: 'Nobody gets alerts about new leads.',
    developer:
      'No alerts are set up, and no phone has notifications on, so nobody gets alerts about new leads.',
    next: `Set up ${listHints(channels)}`,
  },
  'at night': {
    owner: 'You won’t get phone alerts for leads that come in at night.',
    developer: `Leads that come in at night don’t trigger phone alerts, although the page promises a call at any hour. ${asleep}`,
    next: `Set up ${listHints(wakingChannels)}`,
  },
  'while closed': {
    owner: 'You won’t get phone alerts for emergencies while you’re closed.',
    developer: `Emergencies that come in while the company is closed don’t trigger phone alerts, although the page promises a call. ${asleep}`,
    next: `Set up ${listHints(wakingChannels)}. Or set emergencies to “when open” in site/content.ts`,
  },
}

/** Warns before a lead alerts nobody. At any hour, planning reaches at least the phones that are on. */
export const noAlerts = defineCheck({
  id: 'no-alerts',
  runsIn: ['healthz', 'desk', 'start', 'doctor'],
  find: ({ env, hours, database, databaseFault }): keyof typeof texts | undefined => {
    // Without the database, we cannot read the devices.
    if (databaseFault !== undefined || database?.devices.some(isOn)) return
    if (env.alertKinds.length === 0) return 'ever'
    if (!database || wakingChannels.some(({ kind }) => env.alertKinds.includes(kind))) return
    if (hours.open === 'always') return 'at night'
    return hours.emergencies === 'always' ? 'while closed' : undefined
  },
  forOwner: (when) => ({
    text: texts[when].owner,
    action: { label: 'Turn on notifications for this device', kind: 'turn-on-notifications' },
  }),
  forDeveloper: (when) => ({ text: texts[when].developer, next: texts[when].next }),
})

export const deviceChecks: readonly Check[] = [
  defineCheck({
    id: 'push-device-gone',
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => nameDevices(database?.devices.filter((device) => !canNotify(device))),
    forOwner: ({ names, which }) => ({
      text: `Notifications no longer reach ${names}. Open the desk on ${which} and turn on notifications again, or remove it under People.`,
      action: openPeople,
    }),
    forDeveloper: ({ names }) => ({
      text: `Notifications no longer reach ${names}. The push service dropped the device, or its session ended.`,
      next: 'Turn on notifications there again, or remove the device on the desk, under People',
    }),
  }),
  defineCheck({
    id: 'push-device-silent',
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => nameDevices(database?.silentDevices),
    forOwner: ({ names, which }) => ({
      text: `${names} may not be receiving notifications. Send a test. If nothing appears, open the desk on ${which}.`,
      action: openPeople,
    }),
    forDeveloper: ({ names }) => ({
      text: `${names} may not be receiving notifications. The device didn’t confirm its last 3 notifications.`,
      next: 'On the desk, under People, choose Test. If nothing appears, open the desk on that device to subscribe again, and repeat the test',
    }),
  }),
]
