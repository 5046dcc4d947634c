import { type FormEvent, use, useState } from 'react'
import type { DeviceCard } from '#leads/desk/device-routes.ts'
import type { BusinessHours } from '#leads/hours.ts'
import { request } from '../api.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Button, Choice } from '../elements.tsx'
import { Hours } from '../me.ts'
import { attempt } from '../notice.tsx'
import {
  type Devices,
  guessDeviceName,
  readPushSupport,
  turnedOn,
  turnOffNotifications,
  turnOnNotifications,
} from '../push-notifications.ts'
import { refresh, usePolling } from '../use-polling.ts'

type Schedule = DeviceCard['schedule']
const off: [Schedule, string, hint: string] = [
  'off',
  'Off',
  'No notifications. To send a test, turn them on first.',
]

/** If the company never closes, the only choices are on and off. */
export function listSchedules({ open, emergencies }: BusinessHours): (typeof off)[] {
  if (open === 'always') return [['always', 'On', 'Every new lead, at any hour.'], off]
  const whileClosed =
    emergencies === 'always'
      ? 'Emergencies at any hour. Other leads wait until we open.'
      : 'Every new lead. Leads that come in while we’re closed wait until we open.'
  return [
    ['always', 'Always', whileClosed],
    [
      'business-hours',
      'Business hours',
      'Only while we’re open. At other hours, only if the alert would wake nobody else.',
    ],
    off,
  ]
}

export function DeviceList() {
  const { data, trouble } = usePolling<Devices>('/api/devices', 10_000)
  const hours = use(Hours)
  if (!data || !hours) return <p>{trouble ?? 'Loading…'}</p>
  const { devices } = data
  const own = devices.find(({ isThis }) => isThis)
  return (
    <>
      {!own?.canNotify && <TurnOnNotifications />}
      <ul className="card sessions">
        {devices
          .toSorted((a, b) => Number(b.isThis) - Number(a.isThis))
          .map((device) => (
            <li key={device.id} className="device">
              <Device device={device} hours={hours} />
            </li>
          ))}
      </ul>
    </>
  )
}

function TurnOnNotifications() {
  const [isBusy, setBusy] = useState(false)
  const turnOn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('device'))
    setBusy(true)
    await attempt(turnOnNotifications(name), `${turnedOn} To try them, choose Test.`).then(refresh)
    setBusy(false)
  }
  const support = readPushSupport()
  if (support === 'needs-home-screen') return <HomeScreenSteps />
  if (support === 'unsupported')
    return (
      <p className="quiet">
        This browser doesn’t support notifications. Use Chrome, Edge, Firefox, or Safari.
      </p>
    )
  return (
    <form className="card field-row" onSubmit={turnOn}>
      <label>
        Name of this device
        <input name="device" defaultValue={guessDeviceName()} maxLength={60} required />
      </label>
      <Button type="submit" isPrimary disabled={isBusy}>
        {isBusy ? 'Turning on…' : 'Turn on notifications'}
      </Button>
    </form>
  )
}

const homeScreenSteps = [
  ['In Safari, tap Share.', 'M12 3v12M8 7l4-4 4 4M6 11H5v10h14V11h-1'],
  ['Choose “Add to Home Screen.”', 'M5 3h14v18H5zM12 8v8M8 12h8'],
  [
    'Open the desk from the home screen, sign in if asked, and turn on notifications.',
    'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  ],
] as const

const HomeScreenSteps = () => (
  <div className="card">
    <p>On an iPhone or iPad, add the desk to the home screen first:</p>
    <ol className="steps">
      {homeScreenSteps.map(([words, path]) => (
        <li key={words}>
          <svg className="icon" viewBox="0 0 24 24" width="32" height="32" aria-hidden="true">
            <path d={path} />
          </svg>
          {words}
        </li>
      ))}
    </ol>
  </div>
)

function Device({
  device: { id, person, name, schedule, canNotify, canChange, isThis, isSilent },
  hours,
}: {
  device: DeviceCard
  hours: BusinessHours
}) {
  const path = `/api/devices/${id}`
  const change = (body: Partial<DeviceCard>, message: string) =>
    attempt(request('PUT', path, { body }), message).then(refresh)
  const choices = listSchedules(hours)
  const chosen = hours.open === 'always' && schedule !== 'off' ? 'always' : schedule
  const test = () => attempt(request('POST', `${path}/test`), `Test sent to ${name}.`).then(refresh)
  const remove = async () => {
    if (isThis) await turnOffNotifications().catch(() => {})
    const message = `${name} no longer receives notifications.`
    await attempt(request('DELETE', path), message).then(refresh)
  }
  const rename = (event: FormEvent<HTMLInputElement>) => {
    const typed = event.currentTarget.value.trim()
    if (typed && typed !== name) void change({ name: typed }, 'Name saved.')
  }
  return (
    <>
      {canChange ? (
        <label>
          {isThis ? 'This device' : `${person}’s device`}
          <input defaultValue={name} maxLength={60} onBlur={rename} />
        </label>
      ) : (
        <p>
          <b>{person}’s device:</b> {name}
        </p>
      )}
      {!canNotify ? (
        <p className="problem">
          No longer receives notifications.{' '}
          {isThis
            ? 'Turn them on again above, or remove this device.'
            : `Open the desk on that device and turn them on again${canChange ? ', or remove it' : ''}.`}
        </p>
      ) : (
        <>
          {canChange && (
            <Choice
              label="Notifications"
              choices={choices.map(([value, text]) => [value, text])}
              value={chosen}
              onChange={({ target }) => change({ schedule: target.value as Schedule }, 'Saved.')}
            />
          )}
          <p className="quiet small">{choices.find(([value]) => value === chosen)?.[2]}</p>
          {isSilent && (
            <p className="problem">
              May not be receiving notifications: it didn’t confirm the last 3. Choose Test. If
              nothing appears,{' '}
              {isThis
                ? 'remove this device, and turn on notifications again.'
                : 'open the desk on that device and test again.'}
            </p>
          )}
        </>
      )}
      <div className="pair">
        {canNotify && schedule !== 'off' && (
          <Button onClick={test}>
            Test<span className="unseen"> {name}</span>
          </Button>
        )}
        {canChange && (
          <ConfirmButton label="Remove" question={`Remove ${name}?`} onConfirm={remove}>
            It will no longer receive notifications. You can turn them on again on that device.
          </ConfirmButton>
        )}
      </div>
    </>
  )
}
