import { type FormEvent, useState } from 'react'
import type { Session } from '../../leads/store/desk-access.ts'
import { ask } from '../api.ts'
import { formatSpan } from '../countdown.ts'
import { useFresh } from '../use-fresh.ts'

type Listed = Session & { isThis: boolean }

export function People({
  me,
  now,
  onSignOut,
}: {
  me: { person: string } | undefined
  now: number
  onSignOut: () => void
}) {
  const { data, refresh } = useFresh<{ sessions: Listed[] }>('/api/sessions')
  const [said, setSaid] = useState<string>()
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = String(new FormData(event.currentTarget).get('person'))
    const outcome = await ask('PUT', '/api/me', { person }).then(
      () => 'Saved.',
      (error: Error) => error.message,
    )
    setSaid(outcome)
  }
  const end = (id: string, isThis: boolean) => async () => {
    await ask('DELETE', id === 'all' ? '/api/sessions/all' : `/api/sessions/${id}`).catch(() => {})
    if (isThis) onSignOut()
    else refresh()
  }
  return (
    <main>
      <h1>People</h1>
      {me && (
        <form className="rename" onSubmit={rename}>
          <label>
            Your name, as the crew knows you
            <input name="person" defaultValue={me.person} maxLength={60} required />
          </label>
          <button type="submit" className="button quiet">
            Save
          </button>
          {said && <p role="status">{said}</p>}
        </form>
      )}
      <h2>Signed in</h2>
      <ul className="sessions">
        {data?.sessions.map(({ id, person, device, seenAt, isThis }) => (
          <li key={id}>
            <span>
              <b dir="auto">{person}</b>, {device}
              {isThis ? ', this one' : `, ${formatSpan(now - seenAt)} ago`}
            </span>
            <button type="button" className="button quiet" onClick={end(id, isThis)}>
              Sign out
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="button quiet" onClick={end('all', true)}>
        Sign out everywhere
      </button>
    </main>
  )
}
