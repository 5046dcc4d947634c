import { type FormEvent, useEffect, useState } from 'react'
import { Refused, request } from '../api.ts'
import { Button, deskTitle, Heading, Mark } from '../elements.tsx'
import { turnOffNotifications } from '../push-notifications.ts'
import { replaceHash } from '../route.ts'

const unreachable = 'The desk can’t be reached right now. Reload this page.'

/** Requests a sign-in link, or redeems the one that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  const [message, setMessage] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [link, setLink] = useState<{ requester: string; requestedAt: string }>()
  useEffect(() => {
    if (token)
      request<typeof link>('POST', '/api/link', { body: { token }, needsData: true }).then(
        setLink,
        (error: Error) => setProblem(error instanceof Refused ? error.message : unreachable),
      )
    // Without a link, this screen means that the session has ended.
    else void turnOffNotifications().catch(() => {})
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
      'If this address can sign in, a link is on its way. It works once and expires in 15 minutes. If no new email arrives, use an earlier link.',
    ),
  )

  return (
    <main className="sign-in">
      <Mark />
      <Heading>{deskTitle}</Heading>
      {link && (
        <form onSubmit={redeemLink}>
          <p>
            <strong>{link.requester}</strong> requested this link {link.requestedAt}. If that wasn’t
            you, close this page.
          </p>
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
      )}
      {!token && (
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
