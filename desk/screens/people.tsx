import type { FormEvent } from 'react'
import { formatSeen } from '#leads/clock.ts'
import type { Session } from '#leads/desk/routes.ts'
import { request } from '../api.ts'
import { Button, Heading } from '../elements.tsx'
import { attempt } from '../notice.tsx'
import { turnOffNotifications } from '../push-notifications.ts'
import { useFresh, useNow } from '../use-fresh.ts'
import { DeviceList } from './devices.tsx'

type Listed = Session & { isThis: boolean }

export function People({ me, onSignOut }: { me: { person: string }; onSignOut: () => void }) {
  const now = useNow(60_000)
  const { data, trouble, refresh } = useFresh<{ sessions: Listed[] }>('/api/sessions', 10_000)
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = new FormData(event.currentTarget).get('person')
    await attempt(request('PUT', '/api/me', { body: { person } }), `You are ${person} from now on.`)
    await refresh()
  }
  const end = (id: string, isThis: boolean) => async () => {
    if (isThis) await turnOffNotifications().catch(() => {})
    await attempt(request('DELETE', `/api/sessions/${id}`), 'Signed out.')
    if (isThis) onSignOut()
    else await refresh()
  }
  const sessions = data?.sessions.toSorted((a, b) => Number(b.isThis) - Number(a.isThis)) ?? []
  return (
    <>
      <Heading>People</Heading>
      <form className="card" onSubmit={rename}>
        <label>
          Your name, as the crew knows you
          <input
            name="person"
            defaultValue={me.person}
            maxLength={60}
            autoComplete="name"
            required
          />
        </label>
        <Button type="submit">Save</Button>
      </form>
      <h2>Phones that ring</h2>
      <DeviceList now={now} />
      <h2>Signed in</h2>
      {!data && <p>{trouble ?? 'One moment …'}</p>}
      <ul className="sessions">
        {sessions.map(({ id, person, email, device, seenAt, isThis }) => (
          <li key={id} className="card">
            <div>
              <b dir="auto">{person}</b>
              <p className="quiet small">
                {device}, {isThis ? 'this one' : formatSeen(seenAt, now)}
              </p>
              <p className="quiet small">{email}</p>
            </div>
            <Button onClick={end(id, isThis)} aria-label={`Sign out ${person}, ${device}`}>
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      <div>
        <p className="quiet">A phone was lost? This ends every session above, yours too.</p>
        <Button onClick={end('all', true)}>Sign out everywhere</Button>
      </div>
    </>
  )
}
