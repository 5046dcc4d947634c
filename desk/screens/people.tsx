import type { FormEvent } from 'react'
import { formatSeen } from '#leads/clock.ts'
import type { Session } from '#leads/desk/routes.ts'
import { request } from '../api.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Button, Heading } from '../elements.tsx'
import { attempt } from '../notice.tsx'
import { useNow, usePolling } from '../use-polling.ts'
import { DeviceList } from './devices.tsx'

type Member = { email: string; canRemove: boolean }
type PeopleData = { sessions: (Session & { isThis: boolean })[]; crew: Member[] }

export function People({
  me,
  onSignOut,
}: {
  me: { email: string; person: string }
  onSignOut: () => void
}) {
  const now = useNow(60_000)
  const { data, trouble, refresh } = usePolling<PeopleData>('/api/people', 10_000)
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = new FormData(event.currentTarget).get('person')
    await attempt(request('PUT', '/api/me', { body: { person } }), 'Name saved.').then(refresh)
  }
  const end = (id: string, isThis: boolean) => async () => {
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
          Your name (shown to the crew)
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
      <h2>Notifications</h2>
      <DeviceList />
      <h2>Who can sign in</h2>
      {data ? (
        <Crew
          members={data.crew}
          refresh={refresh}
          onRemoved={(email) => (email === me.email ? onSignOut() : refresh())}
        />
      ) : (
        <p>{trouble ?? 'Loading…'}</p>
      )}
      <h2>Signed in</h2>
      <ul className="sessions">
        {sessions.map(({ id, person, email, device, seenAt, isThis }) => (
          <li key={id} className="card">
            <div>
              <b dir="auto">{person}</b>
              <p className="quiet small">
                {device}, {isThis ? 'this device' : formatSeen(seenAt, now)}
              </p>
              <p className="quiet small">
                {email.includes('@') ? email : 'Signed in with a link from the server'}
              </p>
            </div>
            <Button onClick={end(id, isThis)} aria-label={`Sign out ${person}, ${device}`}>
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      <div>
        <p className="quiet">Lost a phone? This ends every session above, including yours.</p>
        <ConfirmButton
          label="Sign out everywhere"
          question="Sign out everywhere?"
          onConfirm={end('all', true)}
        >
          Everyone will have to sign in again. Until then, no phone receives notifications.
        </ConfirmButton>
      </div>
    </>
  )
}

function Crew({
  members,
  refresh,
  onRemoved,
}: {
  members: readonly Member[]
  refresh: () => Promise<void>
  onRemoved: (email: string) => void
}) {
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const email = new FormData(form).get('email')
    await attempt(
      request('POST', '/api/crew', { body: { email } }).then(() => form.reset()),
      `${email} can now request a sign-in link.`,
    ).then(refresh)
  }
  const remove = async (email: string) => {
    const removal = request('DELETE', `/api/crew/${encodeURIComponent(email)}`)
    await attempt(removal, `${email} can no longer sign in.`)
    onRemoved(email)
  }
  return (
    <>
      <ul className="sessions">
        {members.map(({ email, canRemove }) => (
          <li key={email} className="card">
            <div>
              {email}
              {!canRemove && <p className="quiet small">From the server’s settings</p>}
            </div>
            {canRemove && (
              <ConfirmButton
                label="Remove"
                question={`Remove ${email}?`}
                onConfirm={() => remove(email)}
              >
                This signs the person out on every device and turns off their notifications.
              </ConfirmButton>
            )}
          </li>
        ))}
      </ul>
      <form className="card" onSubmit={add}>
        <label>
          Crew member’s email address
          <input name="email" type="email" autoComplete="off" maxLength={254} required />
        </label>
        <Button type="submit">Add</Button>
      </form>
    </>
  )
}
