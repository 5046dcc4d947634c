import { useState } from 'react'
import { Button } from './elements.tsx'
import { attempt } from './notice.tsx'
import {
  guessDeviceName,
  markAsked,
  readPushSupport,
  shouldAsk,
  turnedOn,
  turnOnNotifications,
} from './push-notifications.ts'
import { formatRoute } from './route.ts'
import { useIsLive } from './use-polling.ts'

/** Offers notifications once after each sign-in. Appears at the bottom, so that the leads above it don't move. */
export function AskForNotifications() {
  const isLive = useIsLive()
  const [isAsked, setAsked] = useState(false)
  if (!isLive || isAsked || !shouldAsk()) return null
  const close = () => {
    markAsked()
    setAsked(true)
  }
  const turnOn = () => {
    close()
    void attempt(turnOnNotifications(guessDeviceName()), turnedOn)
  }
  const needsHomeScreen = readPushSupport() === 'needs-home-screen'
  return (
    <aside className="ask" aria-label="Notifications">
      <p>
        {needsHomeScreen
          ? 'To get notified of new leads on this device, add the desk to its home screen.'
          : 'Get notified on this device about each new lead?'}
      </p>
      <div className="pair">
        {needsHomeScreen ? (
          <a className="button" href={formatRoute({ screen: 'people' })} onClick={close}>
            Show me how
          </a>
        ) : (
          <Button isPrimary onClick={turnOn}>
            Turn on
          </Button>
        )}
        <Button onClick={close}>Not now</Button>
      </div>
    </aside>
  )
}
