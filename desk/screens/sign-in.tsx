import { type FormEvent, useEffect, useState } from 'react'
import { request } from '../api.ts'
import { Button, deskTitle, Heading, Mark } from '../elements.tsx'
import { turnOffNotifications } from '../push-notifications.ts'
import { replaceHash } from '../route.ts'

/** Requests a sign-in link, or redeems the one that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  const [message, setMessage] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    // Without a link, this screen means that the session has ended.
    if (!token) void turnOffNotifications().catch(() => {})
  }, [token])

  const send = (path: string, next: () => void) => async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const body = { token, ...Object.fromEntries(new FormData(event.currentTarget)) }
    setBusy(true)
    setProblem(undefined)
    setMessage(undefined)
    await request('POST', path, { body }).then(next, (error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const redeemLink = send('/api/session', () => {
    onEnter()
    replaceHash('#/')
  })
  const requestLink = send('/api/sign-in', () =>
    setMessage(
      'If this address can sign in, a link is on its way. It works once, within 15 minutes.',
    ),
  )

  return (
    <main className="sign-in">
      <Mark />
      <Heading>{deskTitle}</Heading>
      {token ? (
        <form onSubmit={redeemLink}>
          <label>
            Your name (shown to the crew)
            <input name="person" maxLength={60} autoComplete="name" required />
          </label>
          <Button type="submit" isPrimary disabled={isBusy}>
            Open the desk
          </Button>
          <p className="quiet small">
            You stay signed in on this device unless you sign out or don’t use the desk for 30 days.
          </p>
        </form>
      ) : (
        <form onSubmit={requestLink}>
          <label>
            Your email address
            <input name="email" type="email" autoComplete="email" required />
          </label>
          <Button type="submit" isPrimary disabled={isBusy}>
            Email me a link
          </Button>
        </form>
      )}
      <p role="status">{message}</p>
      <p role="alert" className="problem">
        {problem}
      </p>
      {token && problem && (
        <a className="button" data-quiet href="#/">
          Request a new link
        </a>
      )}
    </main>
  )
}
