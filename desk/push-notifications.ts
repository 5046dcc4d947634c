import type { DeviceCard } from '#leads/desk/device-routes.ts'
import { unlessBlocked } from '#site/unless-blocked.ts'
import { request } from './api.ts'

export type Devices = { publicKey: string; devices: DeviceCard[] }

// In a browser without a push service, subscribing may never finish.
const subscribeMs = 15_000

/** iPhones allow notifications only for pages that were added to the home screen. */
export function readPushSupport(): 'supported' | 'needs-home-screen' | 'unsupported' {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)
    return 'supported'
  return /iPhone|iPad/.test(navigator.userAgent) &&
    !matchMedia('(display-mode: standalone)').matches
    ? 'needs-home-screen'
    : 'unsupported'
}

export const guessDeviceName = () => (/Mobi/.test(navigator.userAgent) ? 'My phone' : 'My computer')

// Today asks once after each sign-in on a device.
const askedKey = 'asked-for-notifications'
export const markAsked = () => unlessBlocked(() => localStorage.setItem(askedKey, '1'))
export const clearAsked = () => unlessBlocked(() => localStorage.removeItem(askedKey))
export const shouldAsk = () =>
  unlessBlocked(() => localStorage.getItem(askedKey) === null) &&
  (readPushSupport() === 'needs-home-screen' ||
    (readPushSupport() === 'supported' && Notification.permission !== 'denied'))

export const turnedOn = 'Notifications are on for this device.'

/** If this fails, throws an error with a message for the person. */
export async function turnOnNotifications(name: string): Promise<void> {
  // Ask first, because iPhones allow it only right after a tap.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted')
    throw new Error(
      permission === 'denied'
        ? 'This browser blocks notifications. Allow them in its settings, then try again.'
        : 'Notifications are still off. Try again, and choose Allow when the browser asks.',
    )
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, subscribeMs))
  const subscribed = request<Devices>('GET', '/api/devices').then((found) =>
    subscribe(found.publicKey),
  )
  const subscription = await Promise.race([subscribed, timeout]).catch(() => {
    throw new Error(
      'This browser couldn’t turn on notifications. Check the connection and try again, or use Chrome, Edge, Firefox, or Safari.',
    )
  })
  await request('POST', '/api/devices', { body: { name, subscription: subscription.toJSON() } })
  markAsked()
}

/**
 * Creates a subscription or returns the existing one. Replaces the existing one if `isNew` is true or if it was made
 * with a different server key.
 */
async function subscribe(publicKey: string, isNew = false): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const replace = async () => {
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(options)
  }
  if (isNew) return replace()
  return pushManager.subscribe(options).catch((error) => {
    if (error.name !== 'InvalidStateError') throw error
    return replace()
  })
}

/**
 * Registers this browser again if it should receive notifications, because a browser can drop or replace its
 * subscription, and iPhones do so without an error. If this fails, the next visit tries again.
 */
export async function repairSubscription(): Promise<void> {
  if (readPushSupport() !== 'supported' || Notification.permission !== 'granted') return
  const { publicKey, devices } = await request<Devices>('GET', '/api/devices')
  const own = devices.find(({ isThis }) => isThis)
  if (!own) return
  const subscription = await subscribe(publicKey, !own.canNotify || own.isSilent)
  await request('POST', '/api/devices', { body: { subscription: subscription.toJSON() } })
}

/** Tells the service worker to unsubscribe and to close its notifications. */
export async function turnOffNotifications(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  registration?.active?.postMessage('turn-off-notifications')
}
