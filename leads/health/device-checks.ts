import type { Channel } from '../channels/channel-type.ts'
import { channels, listAlertKinds, wakingChannels } from '../channels/channels.ts'
import { canNotify, isOn, type PushDevice } from '../store/push-devices.ts'
import { joinWords } from '../words.ts'
import type { Check, HealthContext, OwnerAction } from './check.ts'

/** Returns undefined if there are no devices. */
const nameDevices = (devices: readonly PushDevice[] = []) =>
  devices.length > 0
    ? {
        names: joinWords(devices.map(({ name, person }) => `${name} (${person})`)),
        which: devices.length === 1 ? 'that device' : 'each of these devices',
      }
    : undefined

const openPeople: OwnerAction = { label: 'Open People', kind: 'open', route: '#/people' }

const listHints = (some: readonly Channel[]) =>
  new Intl.ListFormat('en-US', { type: 'disjunction' }).format(
    some.flatMap(({ setupHint = [] }) => setupHint),
  )
const asleep = 'None of the alerts that are set up can wake a phone.'

const findings = {
  ever: {
    text: 'No alerts are set up, and no device has notifications on, so nobody gets alerts about new leads.',
    next: `Set up ${listHints(channels)}`,
    forOwner: 'Nobody gets alerts about new leads.',
  },
  atNight: {
    text: `No phone gets alerts, although the page promises a call at any hour. ${asleep}`,
    next: `Set up ${listHints(wakingChannels)}`,
    forOwner: 'No phone gets alerts. Leads that come in at night may wait until morning.',
  },
  whileClosed: {
    text: `No phone gets alerts, although the page promises a call about emergencies while the company is closed. ${asleep}`,
    next: `Set up ${listHints(wakingChannels)}. Or set emergencies to “when open,” on the desk under Page or in site/content.ts`,
    forOwner: 'No phone gets alerts. Emergencies may wait until you open.',
  },
}

/**
 * Returns when a new lead would alert nobody. One device with notifications on is enough, because it gets alerts at any
 * hour if no other device does.
 */
function findWhenUnalerted(context: HealthContext): keyof typeof findings | undefined {
  const { env, hours, database, databaseFault } = context
  // Without the database, we cannot read the devices.
  if (databaseFault !== undefined || database?.devices.some(isOn)) return
  const kinds = listAlertKinds(env)
  if (kinds.length === 0) return 'ever'
  if (!database || wakingChannels.some(({ kind }) => kinds.includes(kind))) return
  if (hours.open === 'always') return 'atNight'
  return hours.emergencies === 'always' ? 'whileClosed' : undefined
}

export const noAlerts: Check = {
  id: 'no-alerts',
  runsIn: ['healthz', 'desk', 'start', 'doctor'],
  forCrew: true,
  find: (context) => {
    const when = findWhenUnalerted(context)
    return (
      when && {
        ...findings[when],
        action: { ...openPeople, label: 'Turn on notifications for this device' },
      }
    )
  },
}

export const deviceChecks: readonly Check[] = [
  {
    id: 'push-device-gone',
    runsIn: ['desk', 'doctor'],
    forCrew: true,
    find: ({ database }) => {
      const found = nameDevices(database?.devices.filter((device) => !canNotify(device)))
      return (
        found && {
          text: `Notifications no longer reach ${found.names}. The push service dropped the device, or its session ended.`,
          next: 'Turn on notifications there again, or remove the device under People on the desk',
          forOwner: `Notifications no longer reach ${found.names}. Open the desk on ${found.which} and turn on notifications again, or remove it under People.`,
          action: openPeople,
        }
      )
    },
  },
  {
    id: 'push-device-silent',
    runsIn: ['desk', 'doctor'],
    forCrew: true,
    find: ({ database }) => {
      const found = nameDevices(database?.silentDevices)
      return (
        found && {
          text: `${found.names} may not be receiving notifications. The last 3 notifications weren’t confirmed.`,
          next: 'On the desk, under People, choose Test. If nothing appears, open the desk on that device to subscribe again, and repeat the test',
          forOwner: `${found.names} may not be receiving notifications. Send a test. If nothing appears, open the desk on ${found.which}.`,
          action: openPeople,
        }
      )
    },
  },
]
