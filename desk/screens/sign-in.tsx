import { type FormEvent, useState } from 'react'
import { ask } from '../api.ts'
import { Heading } from '../heading.tsx'
import { Mark } from '../icons.tsx'
import { replaceHash } from '../route.ts'
import { title } from '../title.ts'

/** Asks for a link, or uses the one that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  const [isSent, setSent] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    await work().catch((error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const enter = () =>
    attempt(async () => {
      await ask('POST', '/api/session', { body: { token } })
      onEnter()
      replaceHash('#/')
    })
  const request = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email'))
    return attempt(async () => {
      await ask('POST', '/api/sign-in', { body: { email } })
      setSent(true)
    })
  }

  return (
    <main className="sign-in">
      <Mark />
      <Heading>{title}</Heading>
      {token ? (
        <>
          <p>This link signs you in on this device, for 30 days.</p>
          <button type="button" className="button" disabled={isBusy} onClick={enter}>
            Open the desk
          </button>
        </>
      ) : (
        <form onSubmit={request}>
          <label>
            Your e-mail address
            <input name="email" type="email" autoComplete="email" required />
          </label>
          <button
            type="submit"
            className="button"
            data-quiet={isSent || undefined}
            disabled={isBusy}
          >
            {isSent ? 'Send another link' : 'Send me a link'}
          </button>
        </form>
      )}
      <p role="status">
        {isSent &&
          !problem &&
          'If this address may open the desk, a link is on its way. It works once, for 15 minutes.'}
      </p>
      <p role="alert" className="problem">
        {problem}
      </p>
      {token && problem && (
        <a className="button" data-quiet href="#/">
          Ask for a new link
        </a>
      )}
    </main>
  )
}
