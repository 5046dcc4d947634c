import { ask } from './api.ts'

/** What this browser can do. `install`: an iPhone rings only from its home screen. */
export function findAbility(): 'ring' | 'install' | 'none' {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)
    return 'ring'
  return /iPhone|iPad/.test(navigator.userAgent) &&
    !matchMedia('(display-mode: standalone)').matches
    ? 'install'
    : 'none'
}

/** Lets this browser ring. Throws a sentence for the person when it cannot. */
export async function startRinging(publicKey: string, name: string): Promise<void> {
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
  await ask('POST', '/api/devices', { body: { name, subscription: subscription.toJSON() } })
}

export async function stopRinging(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}
