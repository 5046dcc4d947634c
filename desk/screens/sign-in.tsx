import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { SignInLink } from '#leads/desk/routes.ts'
import { minuteMs } from '#leads/time-units.ts'
import { Refused, request } from '../api.ts'
import { Button, deskTitle, Heading, Mark } from '../elements.tsx'
import { clearAsked, turnOffNotifications } from '../push-notifications.ts'
import { replaceHash } from '../route.ts'
import { createStored } from '../stored.ts'

// Store the email address, because an iPhone may close the desk while the person reads the email. The desk asks for the
// code again when it reopens.
const storedAsked = createStored<{ email: string; at: number }>('asked-email')
const askedMs = 15 * minuteMs

function readAsked(): string | undefined {
  const asked = storedAsked.read()
  return asked && Date.now() - asked.at < askedMs ? asked.email : undefined
}

/** Sends a sign-in email and asks for its code, or redeems the link that the person opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  useEffect(() => {
    // Without a link, the person gets this screen because there is no session.
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
        // People reopen the link in an old email, and they may still be signed in.
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
      <Heading>{deskTitle}</Heading>
      {link && (
        <>
          <p>
            <strong>{link.requester}</strong>{' '}
            {link.isInvitation
              ? 'invited you to this desk. If you didn’t expect this, close this page.'
              : `requested this link ${link.requestedAt}. If you didn’t ask for it, close this page.`}
          </p>
          <SignInForm path="/api/session" more={{ token }} button="Open the desk" onDone={redeem}>
            <NameField />
          </SignInForm>
          <StaySignedIn />
        </>
      )}
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
      <>
        <Heading>{deskTitle}</Heading>
        <SignInForm
          path="/api/sign-in"
          button="Email me a link and a code"
          onDone={({ email = '' }) => {
            storedAsked.write({ email, at: Date.now() })
            setAsked(email)
          }}
          field={(props) => (
            <label>
              Your email address
              <input name="email" type="email" autoComplete="email" required {...props} />
            </label>
          )}
        >
          <p className="quiet small">We’ll email you a link and a code. No password.</p>
        </SignInForm>
        <StaySignedIn />
      </>
    )
  const startOver = () => {
    storedAsked.clear()
    setAsked(undefined)
  }
  return (
    <>
      <Heading>Check your email</Heading>
      <p role="status">
        If <strong>{asked}</strong> can sign in, an email is on its way. Enter its code here, or
        open its link.
      </p>
      <SignInForm
        path="/api/code"
        more={{ email: asked }}
        button="Open the desk"
        onDone={onEnter}
        field={(props) => (
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
              {...props}
            />
          </label>
        )}
      >
        <NameField />
      </SignInForm>
      <details className="quiet small">
        <summary>Didn’t get it? Check your spam folder.</summary>
        <p>
          The code and the link expire after 15 minutes and work once. The code works only in the
          browser that requested it. No email? Ask the person who set up this site for a link.
        </p>
      </details>
      <button type="button" className="link" onClick={startOver}>
        Send again or change the email address
      </button>
    </>
  )
}

export const NameField = ({ value }: { value?: string }) => (
  <label>
    Your name (also in texts)
    <input name="person" defaultValue={value} maxLength={60} autoComplete="name" required />
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
  field,
  children,
}: {
  path: string
  /** Sent with the form's fields. */
  more?: Record<string, string>
  button: string
  onDone: (sent: Record<string, string>) => void
  /** The input that the server checks. An error is shown below it. */
  field?: (props: ComponentProps<'input'>) => ReactNode
  children: ReactNode
}) {
  const id = useId()
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    const body = { ...more, ...fields }
    setBusy(true)
    setProblem(undefined)
    await request('POST', path, { body }).then(() => onDone(body), setProblem)
    setBusy(false)
  }
  return (
    <form onSubmit={send}>
      {field?.({
        'aria-invalid': problem instanceof Refused || undefined,
        'aria-describedby': id,
      })}
      <p role="alert" id={id} className="problem">
        {problem?.message}
      </p>
      {children}
      <Button type="submit" isPrimary disabled={isBusy}>
        {button}
      </Button>
    </form>
  )
}
