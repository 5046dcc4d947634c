import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { SignInLink } from '#leads/desk/routes.ts'
import { minuteMs } from '#leads/time-units.ts'
import { request } from '../api.ts'
import { Button, deskTitle, Heading, Mark } from '../elements.tsx'
import { clearAsked, turnOffNotifications } from '../push-notifications.ts'
import { replaceHash } from '../route.ts'
import { createStored } from '../stored.ts'

// An iPhone may close the desk while someone reads the email, so remember that the code is expected.
const storedAsked = createStored<{ email: string; at: number }>('asked-email')
const askedMs = 15 * minuteMs

function readAsked(): string | undefined {
  const asked = storedAsked.read()
  return asked && Date.now() - asked.at < askedMs ? asked.email : undefined
}

/** Requests a sign-in email and takes its code, or redeems the link that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  useEffect(() => {
    // Without a link, this screen means that the session has ended.
    if (!token) void turnOffNotifications().catch(() => {})
    clearAsked()
  }, [token])
  const enter = () => {
    storedAsked.clear()
    onEnter()
  }
  return (
    <main className="sign-in">
      <Mark />
      <Heading>{deskTitle}</Heading>
      {token ? <OpenedLink token={token} onEnter={enter} /> : <AskForCode onEnter={enter} />}
    </main>
  )
}

function OpenedLink({ token, onEnter }: { token: string; onEnter: () => void }) {
  const [link, setLink] = useState<SignInLink>()
  const [badLink, setBadLink] = useState<string>()
  useEffect(() => {
    request<SignInLink>('POST', '/api/link', { body: { token }, needsData: true }).then(
      setLink,
      (error: Error) =>
        // People open the link in an old email again and again, and may still be signed in.
        request('GET', '/api/today').then(
          () => replaceHash('#/'),
          () => setBadLink(error.message),
        ),
    )
  }, [token])
  const redeem = () => {
    onEnter()
    replaceHash('#/')
  }
  return (
    <>
      {link && (
        <SignInForm path="/api/session" more={{ token }} button="Open the desk" onDone={redeem}>
          <p>
            <strong>{link.requester}</strong>{' '}
            {link.isInvitation
              ? 'invited you to this desk. If you didn’t expect this, close this page.'
              : `requested this link ${link.requestedAt}. If that wasn’t you, close this page.`}
          </p>
          <NameField />
        </SignInForm>
      )}
      {link && <StaySignedIn />}
      {badLink && (
        <>
          <p role="alert" className="problem">
            {badLink}
          </p>
          <a className="button" data-quiet href="#/">
            Request a new link
          </a>
        </>
      )}
    </>
  )
}

function AskForCode({ onEnter }: { onEnter: () => void }) {
  const [asked, setAsked] = useState(readAsked)
  const code = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (asked) code.current?.focus()
  }, [asked])
  if (!asked)
    return (
      <SignInForm
        path="/api/sign-in"
        button="Email me a link and a code"
        onDone={({ email = '' }) => {
          storedAsked.write({ email, at: Date.now() })
          setAsked(email)
        }}
      >
        <label>
          Your email address
          <input name="email" type="email" autoComplete="email" required />
        </label>
        <p className="quiet small">We’ll email you a link and a code. No password.</p>
      </SignInForm>
    )
  const startOver = () => {
    storedAsked.clear()
    setAsked(undefined)
  }
  return (
    <>
      <p role="status">
        If <strong>{asked}</strong> can sign in, an email is on its way. Enter its code here, or
        open its link.
      </p>
      <SignInForm path="/api/code" more={{ email: asked }} button="Open the desk" onDone={onEnter}>
        <label>
          Code from the email (6 digits)
          <input
            ref={code}
            className="code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            required
          />
        </label>
        <NameField />
      </SignInForm>
      <p className="quiet small">
        The code and the link expire in 15 minutes. If no email arrives, check your spam folder, or
        ask the person who set up this site for a link.
      </p>
      <StaySignedIn />
      <button type="button" className="link" onClick={startOver}>
        Start over
      </button>
    </>
  )
}

const NameField = () => (
  <label>
    Your name (shown to the crew and in your texts)
    <input name="person" maxLength={60} autoComplete="name" required />
  </label>
)

const StaySignedIn = () => (
  <p className="quiet small">
    You stay signed in on this device unless you sign out or don’t use the desk for 30 days.
  </p>
)

function SignInForm({
  path,
  more,
  button,
  onDone,
  children,
}: {
  path: string
  /** Sent with the form's fields. */
  more?: Record<string, string>
  button: string
  onDone: (sent: Record<string, string>) => void
  children: ReactNode
}) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    const body = { ...more, ...fields }
    setBusy(true)
    setProblem(undefined)
    await request('POST', path, { body }).then(
      () => onDone(body),
      (error: Error) => setProblem(error.message),
    )
    setBusy(false)
  }
  return (
    <form onSubmit={send}>
      {children}
      <Button type="submit" isPrimary disabled={isBusy}>
        {button}
      </Button>
      <p role="alert" className="problem">
        {problem}
      </p>
    </form>
  )
}
