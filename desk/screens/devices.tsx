import type { FormEvent } from 'react'
import type { DeviceCard } from '#leads/desk/device-routes.ts'
import { ask } from '../api.ts'
import { attempt } from '../notice.tsx'
import { findAbility, startRinging, stopRinging } from '../ringing.ts'
import { useFresh } from '../use-fresh.ts'
import { formatClock } from '../words.ts'
import { HomeScreenSteps } from './home-screen-steps.tsx'

type Devices = { publicKey: string; devices: DeviceCard[]; steps: number[] }

/** Phones that ring: this one, and everybody else's. */
export function DeviceList({ now }: { now: number }) {
  const { data, trouble, refresh } = useFresh<Devices>('/api/devices', 10_000)
  if (!data) return <p>{trouble ?? 'One moment …'}</p>
  const { devices, publicKey, steps } = data
  const own = devices.find(({ isThis }) => isThis)
  const start = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('device'))
    await attempt(startRinging(publicKey, name), 'This phone rings from now on. Try it: Test.')
    await refresh()
  }
  return (
    <>
      {(!own || own.goneAt !== null) && <RingThisPhone onSubmit={start} />}
      <ul className="sessions">
        {devices.map((device) => (
          <li key={device.id} className="card device">
            <Device device={device} steps={steps} now={now} refresh={refresh} />
          </li>
        ))}
      </ul>
    </>
  )
}

function RingThisPhone({ onSubmit }: { onSubmit: (event: FormEvent<HTMLFormElement>) => void }) {
  const ability = findAbility()
  if (ability === 'install') return <HomeScreenSteps />
  if (ability === 'none')
    return <p className="quiet">This browser cannot ring. Chrome, Edge, Firefox and Safari can.</p>
  return (
    <form className="card" onSubmit={onSubmit}>
      <label>
        What the crew calls this phone
        <input name="device" defaultValue="My phone" maxLength={60} required />
      </label>
      <button type="submit" className="button">
        Ring this phone
      </button>
    </form>
  )
}

type DeviceProps = {
  device: DeviceCard
  steps: number[]
  now: number
  refresh: () => Promise<void>
}

function Device({ device, steps, now, refresh }: DeviceProps) {
  const { id, name, person, ringsFrom, quietUntil, emergenciesRing, goneAt, isThis } = device
  const isQuiet = quietUntil > now
  const change = async (changes: Partial<DeviceCard>, said: string) => {
    const body = { name, ringsFrom, quietUntil, emergenciesRing, ...changes }
    await attempt(ask('PUT', `/api/devices/${id}`, { body }), said)
    await refresh()
  }
  const test = async () => {
    await attempt(ask('POST', `/api/devices/${id}/test`), `A test rings on ${name} now.`)
    await refresh()
  }
  const remove = async () => {
    if (isThis) await stopRinging().catch(() => {})
    await attempt(ask('DELETE', `/api/devices/${id}`), `${name} rings no more.`)
    await refresh()
  }
  const rename = (event: FormEvent<HTMLInputElement>) => {
    const typed = event.currentTarget.value.trim()
    if (typed && typed !== name) void change({ name: typed }, `It is ${typed} from now on.`)
  }
  return (
    <>
      <label>
        {isThis ? 'This phone' : `A phone of ${person}`}
        <input defaultValue={name} maxLength={60} onBlur={rename} />
      </label>
      {goneAt !== null ? (
        <p className="problem">
          It rings no more. Open the desk there and press “Ring this phone”, or remove it.
        </p>
      ) : (
        <>
          <label>
            Rings
            <select
              value={ringsFrom}
              onChange={({ target }) => change({ ringsFrom: Number(target.value) }, 'Saved.')}
            >
              {[...new Set([...steps, ringsFrom])].map((minutes) => (
                <option key={minutes} value={minutes}>
                  {minutes === 0 ? 'At once' : `After ${minutes} min without a call`}
                </option>
              ))}
            </select>
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={emergenciesRing}
              onChange={({ target }) => change({ emergenciesRing: target.checked }, 'Saved.')}
            />
            Emergencies ring even when it is quiet
          </label>
          {isQuiet && <p className="quiet">Quiet until {formatClock(quietUntil, now)}.</p>}
        </>
      )}
      <div className="pair">
        {goneAt === null && (
          <>
            <button type="button" className="button" data-quiet onClick={test}>
              Test<span className="unseen"> {name}</span>
            </button>
            <button
              type="button"
              className="button"
              data-quiet
              onClick={() =>
                isQuiet
                  ? change({ quietUntil: 0 }, `${name} rings again.`)
                  : change({ quietUntil: findMorning(now) }, `${name} is quiet until 7 AM.`)
              }
            >
              {isQuiet ? 'Ring again' : 'Quiet until 7 AM'}
              <span className="unseen"> {name}</span>
            </button>
          </>
        )}
        <button type="button" className="button" data-quiet onClick={remove}>
          Remove<span className="unseen"> {name}</span>
        </button>
      </div>
    </>
  )
}

/** The next seven in the morning, where the phone is. */
function findMorning(now: number): number {
  const morning = new Date(now)
  morning.setHours(7, 0, 0, 0)
  if (morning.getTime() <= now) morning.setDate(morning.getDate() + 1)
  return morning.getTime()
}
