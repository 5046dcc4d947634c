import { request } from './api.ts'

// A browser without a push service never answers.
const subscribeMs = 15_000

/** iPhones allow notifications only for a page on their home screen. */
export function findPushSupport(): 'supported' | 'needs-home-screen' | 'unsupported' {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)
    return 'supported'
  return /iPhone|iPad/.test(navigator.userAgent) &&
    !matchMedia('(display-mode: standalone)').matches
    ? 'needs-home-screen'
    : 'unsupported'
}

/** Throws an error whose message the desk shows. */
export async function turnOnNotifications(publicKey: string, name: string): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted')
    throw new Error(
      'This browser blocks notifications. Allow them in its settings, then try again.',
    )
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, subscribeMs))
  const subscription = await Promise.race([subscribe(publicKey), timeout]).catch(() => {
    throw new Error(
      'This browser could not reach its push service. Check the connection and try again, or use Chrome, Edge, Firefox, or Safari.',
    )
  })
  await request('POST', '/api/devices', { body: { name, subscription: subscription.toJSON() } })
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

/** The service worker unsubscribes and closes its notifications. */
export async function turnOffNotifications(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  registration?.active?.postMessage('turn-off-notifications')
}
