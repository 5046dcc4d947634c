import { type FormEvent, useState } from 'react'
import type { Session } from '#leads/desk/routes.ts'
import { ask } from '../api.ts'
import { Heading } from '../heading.tsx'
import { say } from '../notice.tsx'
import { useFresh } from '../use-fresh.ts'
import { formatSeen } from '../words.ts'

type Listed = Session & { isThis: boolean }

export function People({
  me,
  now,
  onSignOut,
}: {
  me: { person: string; email: string }
  now: number
  onSignOut: () => void
}) {
  const { data, trouble, refresh } = useFresh<{ sessions: Listed[] }>('/api/sessions', 10_000)
  const [isBusy, setBusy] = useState(false)
  const attempt = async (work: Promise<unknown>, said: string) => {
    setBusy(true)
    say(
      await work.then(
        () => said,
        (error: Error) => error.message,
      ),
    )
    setBusy(false)
  }
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = String(new FormData(event.currentTarget).get('person')).trim()
    await attempt(
      ask('PUT', '/api/me', { body: { person } }),
      `The crew sees you as ${person} now.`,
    )
    await refresh()
  }
  const end = (id: string, isThis: boolean) => async () => {
    await attempt(ask('DELETE', `/api/sessions/${id}`), 'Signed out.')
    if (isThis) onSignOut()
    else await refresh()
  }
  const sessions = data?.sessions.toSorted((a, b) => Number(b.isThis) - Number(a.isThis))
  return (
    <>
      <Heading>People</Heading>
      <form className="card rename" onSubmit={rename}>
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
        <button type="submit" className="button" data-quiet disabled={isBusy}>
          Save
        </button>
      </form>
      <h2>Signed in</h2>
      {!data && <p className="summary">{trouble ?? 'One moment …'}</p>}
      <ul className="sessions">
        {sessions?.map(({ id, person, email, device, seenAt, isThis }) => (
          <li key={id} className="card">
            <div>
              <b dir="auto">{person}</b>
              <p>
                {device}, {isThis ? 'this one' : formatSeen(seenAt, now)}
              </p>
              {email.includes('@') && <p dir="auto">{email}</p>}
            </div>
            <button
              type="button"
              className="button"
              data-quiet
              disabled={isBusy}
              onClick={end(id, isThis)}
            >
              Sign out<span className="unseen"> {`${person}, ${device}`}</span>
            </button>
          </li>
        ))}
      </ul>
      {data && data.sessions.length > 1 && (
        <div className="everywhere">
          <p>A phone was lost? This ends every session in the list, yours too.</p>
          <button
            type="button"
            className="button"
            data-quiet
            disabled={isBusy}
            onClick={end('all', true)}
          >
            Sign out everywhere
          </button>
        </div>
      )}
    </>
  )
}
