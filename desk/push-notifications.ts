import { request } from './api.ts'

/** iPhones allow notifications only for a page on their home screen. */
export function findPushSupport(): 'supported' | 'needs-home-screen' | 'unsupported' {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)
    return 'supported'
  return /iPhone|iPad/.test(navigator.userAgent) &&
    !matchMedia('(display-mode: standalone)').matches
    ? 'needs-home-screen'
    : 'unsupported'
}

/** Throws an error whose message is shown to the person. */
export async function turnOnNotifications(publicKey: string, name: string): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted')
    throw new Error('This browser may not show notifications: allow them in its settings first.')
  const registration = await navigator.serviceWorker.register('/sw.js')
  await navigator.serviceWorker.ready
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => {
      throw new Error('This browser could not reach its push service. Try again in a minute.')
    })
  await request('POST', '/api/devices', { body: { name, subscription: subscription.toJSON() } })
}

/** The service worker unsubscribes and closes what it shows. */
export async function turnOffNotifications(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  registration?.active?.postMessage('turn-off-notifications')
}
