import { type FormEvent, useState } from 'react'
import { ask } from '../api.ts'

/** Asks for a link, or uses the one that was opened. */
export function SignIn({ token, onEnter }: { token: string | undefined; onEnter: () => void }) {
  const [said, setSaid] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    await work().catch((error: Error) => setSaid(error.message))
    setBusy(false)
  }
  const enter = () =>
    attempt(async () => {
      await ask('POST', '/api/session', { token })
      history.replaceState(null, '', '#/')
      onEnter()
    })
  const request = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email'))
    return attempt(async () => {
      await ask('POST', '/api/sign-in', { email })
      setSaid(
        'If this address may open the desk, a link is on its way. It works once, for 15 minutes.',
      )
    })
  }

  return (
    <main className="sign-in">
      <h1>Desk</h1>
      {token ? (
        <button type="button" className="button" disabled={isBusy} onClick={enter}>
          Open the desk on this device
        </button>
      ) : (
        <form onSubmit={request}>
          <label>
            Your e-mail address
            <input name="email" type="email" autoComplete="email" required />
          </label>
          <button type="submit" className="button" disabled={isBusy}>
            Send me a link
          </button>
        </form>
      )}
      {said && <p role="status">{said}</p>}
    </main>
  )
}
