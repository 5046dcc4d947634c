import { type FormEvent, useState } from 'react'
import { type Clock, formatAgo, formatShortClock } from '#leads/clock.ts'
import type { People, Person } from '#leads/desk/people-routes.ts'
import { type DeskRoute, mayUse } from '#leads/desk/roles.ts'
import type { Today } from '#leads/desk/today.ts'
import { suggestEmail } from '#leads/suggest-email.ts'
import { minuteMs } from '#leads/time-units.ts'
import { request } from '../api.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Button, Heading } from '../elements.tsx'
import { attempt } from '../notice.tsx'
import { refresh, useClock, usePolling } from '../use-polling.ts'
import { DeviceList } from './devices.tsx'
import { NameField } from './sign-in.tsx'

export function PeopleScreen({ me, onSignOut }: { me: Today['me']; onSignOut: () => void }) {
  const clock = useClock(minuteMs)
  const { data, trouble } = usePolling<People>('/api/people', 10_000)
  const may = (route: DeskRoute) => mayUse(me.role, route)
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = new FormData(event.currentTarget).get('person')
    await attempt(request('PUT', '/api/me', { body: { person } }), 'Name saved.').then(refresh)
  }
  const end = async (path: string, isThis: boolean) => {
    const isEnded = await attempt(request('DELETE', path), 'Signed out.')
    if (isThis && isEnded) onSignOut()
    else await refresh()
  }
  const isMe = ({ email }: Person) => email === me.email
  const people = data?.people.toSorted((a, b) => Number(isMe(b)) - Number(isMe(a)))
  const sessions = data?.sessions.toSorted((a, b) => Number(b.isThis) - Number(a.isThis)) ?? []
  return (
    <>
      <Heading>People</Heading>
      <div className="people">
        <section>
          <h2>You</h2>
          <form className="card field-row" onSubmit={rename}>
            <NameField value={me.person} />
            <Button type="submit">Save</Button>
          </form>
          <h2>Notifications</h2>
          <DeviceList />
          <h2>Signed-in devices</h2>
          <ul className="card sessions">
            {sessions.map(({ id, person, email, device, seenAt, isThis }) => (
              <li key={id}>
                <div>
                  <b dir="auto">{person}</b>
                  <p className="quiet small">
                    {device}, {isThis ? 'this device' : formatAgo(seenAt, clock)}
                  </p>
                  <p className="quiet small">{describeEmail(email)}</p>
                </div>
                <Button
                  onClick={() => end(`/api/sessions/${id}`, isThis)}
                  aria-label={`Sign out ${person}, ${device}`}
                >
                  Sign out
                </Button>
              </li>
            ))}
          </ul>
          {may('DELETE /api/sessions') && (
            <div>
              <p className="quiet">Lost a phone? Sign out every device.</p>
              <ConfirmButton
                label="Sign out everyone"
                question="Sign out everyone?"
                onConfirm={() => end('/api/sessions', true)}
              >
                Everyone will have to sign in again and turn notifications back on. Until then, no
                device gets notifications.
              </ConfirmButton>
            </div>
          )}
        </section>
        <section>
          <h2>Who can sign in</h2>
          <p className="quiet">
            Everyone can handle leads. Only owners can edit the page, add and remove people, change
            notifications on other people’s devices, download spreadsheets, and erase leads.
          </p>
          {people ? (
            <ul className="card sessions">
              {people.map((person) => (
                <li key={person.email}>
                  <PersonCard {...person} canEdit={may('DELETE /api/crew/:email')} />
                </li>
              ))}
            </ul>
          ) : (
            <p>{trouble ?? 'Loading…'}</p>
          )}
          {data && may('POST /api/crew') && <AddPerson {...data} />}
          {data && <Log title="Access changes" entries={data.log.people} clock={clock} />}
          {data && <Log title="Other actions" entries={data.log.others} clock={clock} />}
        </section>
      </div>
    </>
  )
}

type LogProps = { title: string; entries: People['log']['people']; clock: Clock }

const Log = ({ title, entries, clock }: LogProps) =>
  entries.length > 0 && (
    <>
      <h2>{title}</h2>
      <ul className="log card">
        {entries.map(({ id, at, person, email, action, about }) => (
          <li key={id}>
            <b dir="auto">{person}</b> {action}
            {about && `: ${about}`}
            <p className="quiet small">
              {formatShortClock(at, clock)} · {describeEmail(email)}
            </p>
          </li>
        ))}
      </ul>
    </>
  )

const describeEmail = (email: string) =>
  email.includes(' ') ? 'Used a link from the server' : email

/** For each role, the HTTP method and the wording for a change to the other role. */
const otherRoles = {
  crew: {
    method: 'PUT',
    button: 'Make owner',
    name: 'an owner',
    effect:
      'Owners can edit the page, add and remove people, download spreadsheets, and erase leads.',
  },
  owner: {
    method: 'DELETE',
    button: 'Make crew member',
    name: 'a crew member',
    effect: 'This person can still sign in and handle leads.',
  },
} as const

function PersonCard({
  email,
  role,
  canRemove,
  canChangeRole,
  canEdit,
}: Person & { canEdit: boolean }) {
  const path = encodeURIComponent(email)
  const remove = async () => {
    await attempt(request('DELETE', `/api/crew/${path}`), `${email} can no longer sign in.`)
    // This shows the sign-in screen if people have removed themselves.
    await refresh()
  }
  const { method, button, name, effect } = otherRoles[role]
  const changeRole = async () => {
    await attempt(request(method, `/api/owners/${path}`), `${email} is now ${name}.`)
    await refresh()
  }
  return (
    <>
      <div>
        {email} <span className="tag">{role === 'owner' ? 'Owner' : 'Crew'}</span>
        <p className="quiet small">
          {!canRemove &&
            `This email address is in the server’s settings${canEdit ? ', so it can be removed only there' : ''}.`}
        </p>
      </div>
      {canEdit && (canRemove || canChangeRole) && (
        <div className="actions">
          {canChangeRole && (
            <ConfirmButton
              label={button}
              question={`Make ${email} ${name}?`}
              onConfirm={changeRole}
            >
              {effect}
            </ConfirmButton>
          )}
          {canRemove && (
            <ConfirmButton label="Remove" question={`Remove ${email}?`} onConfirm={remove}>
              This signs the person out on every device and turns off their notifications.
            </ConfirmButton>
          )}
        </div>
      )}
    </>
  )
}

function AddPerson({
  sendsInvitations,
  mailFault,
}: Pick<People, 'sendsInvitations' | 'mailFault'>) {
  const [email, setEmail] = useState('')
  const suggested = suggestEmail(email)
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const added = request<{ message: string }>('POST', '/api/crew', {
      body: { email },
      needsData: true,
    })
    if (await attempt(added, ({ message }) => message)) setEmail('')
    await refresh()
  }
  const explainInvitation = () => {
    if (!sendsInvitations)
      return `The desk can’t send email yet. Tell the person to sign in at ${location.origin} once a mail server is set up.`
    if (mailFault) return `The invitation may not arrive. ${mailFault}`
    return 'They’ll get an email with a sign-in link. It works once and expires after 7 days.'
  }
  return (
    <form className="card" onSubmit={add}>
      <div className="field-row">
        <label>
          Crew member’s email address
          <input
            name="email"
            type="email"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
            autoComplete="off"
            maxLength={254}
            required
          />
        </label>
        <Button type="submit">Add</Button>
      </div>
      {suggested && (
        <button type="button" className="link" onClick={() => setEmail(suggested)}>
          Did you mean {suggested}?
        </button>
      )}
      <p className="quiet small">{explainInvitation()}</p>
    </form>
  )
}
