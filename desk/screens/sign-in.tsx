import { type FormEvent, useState } from 'react'
import { ask } from '../api.ts'
import { Button } from '../button.tsx'
import { deskTitle, Heading } from '../heading.tsx'
import { Mark } from '../icons.tsx'
import { replaceHash } from '../route.ts'

/** Asks for a link, or uses the one that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  const [said, setSaid] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const send = async (path: string, body: object, next: () => void) => {
    setBusy(true)
    setProblem(undefined)
    setSaid(undefined)
    await ask('POST', path, { body }).then(next, (error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const enter = () =>
    send('/api/session', { token }, () => {
      onEnter()
      replaceHash('#/')
    })
  const request = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = new FormData(event.currentTarget).get('email')
    return send('/api/sign-in', { email }, () =>
      setSaid(
        'If this address may open the desk, a link is on its way. It works once, for 15 minutes.',
      ),
    )
  }

  return (
    <main className="sign-in">
      <Mark />
      <Heading>{deskTitle}</Heading>
      {token ? (
        <>
          <p>This link signs you in on this device, for 30 days.</p>
          <Button isLoud disabled={isBusy} onClick={enter}>
            Open the desk
          </Button>
        </>
      ) : (
        <form onSubmit={request}>
          <label>
            Your e-mail address
            <input name="email" type="email" autoComplete="email" required />
          </label>
          <Button type="submit" isLoud disabled={isBusy}>
            Send me a link
          </Button>
        </form>
      )}
      <p role="status">{said}</p>
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
