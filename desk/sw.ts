// The desk's service worker: what rings when a message comes, and what a press there does. It has no
// types of its own here, because the page's and a worker's do not go together.
type Ring = { leadId: string; isTest: boolean; isEmergency: boolean; isAnswered: boolean }
type Shown = { title: string; body: string; tag: string; silent: boolean }
type Message = { notification: Shown; ring: Ring }
type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void }
type PushEvent = WorkerEvent & { data?: { json(): Message } }
type ClickEvent = WorkerEvent & { action: string; notification: Notification & { data: Ring } }
type ChangeEvent = WorkerEvent & { oldSubscription?: PushSubscription }
type DeskWindow = { focus(): Promise<DeskWindow>; navigate(url: string): Promise<unknown> }
type ServiceWorkerHere = {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: object): Promise<DeskWindow[]>
    openWindow(url: string): Promise<unknown>
    claim(): Promise<void>
  }
  addEventListener(type: 'activate', listener: (event: WorkerEvent) => void): void
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void
  addEventListener(type: 'pushsubscriptionchange', listener: (event: ChangeEvent) => void): void
}
const worker = globalThis as unknown as ServiceWorkerHere

// Long enough to read who is calling.
const answeredMs = 4_000

// The page that let it ring is its own from then on, and can be led to a lead.
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('push', (event) => {
  const message = event.data?.json()
  if (message) event.waitUntil(show(message))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(act(event.action, event.notification.data))
})

// A browser may change its address by itself; the desk must know the new one.
worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event.oldSubscription))
})

async function show({ notification, ring }: Message): Promise<void> {
  const { title, body, tag, silent } = notification
  const canAnswer = !ring.isTest && !ring.isAnswered
  const options = {
    ...{ body, tag, silent, lang: 'en-US', icon: '/icon-192.png', badge: '/icon-192.png' },
    // A reminder takes the place of what rang before, and rings again.
    renotify: !silent,
    requireInteraction: ring.isEmergency && canAnswer,
    actions: canAnswer
      ? [
          { action: 'call', title: 'Call' },
          { action: 'calling', title: 'I am calling' },
        ]
      : [],
    data: ring,
  }
  await worker.registration.showNotification(title, options)
  if (!ring.isAnswered) return
  await new Promise((resolve) => setTimeout(resolve, answeredMs))
  for (const shown of await worker.registration.getNotifications({ tag })) shown.close()
}

async function act(action: string, { leadId, isTest }: Ring): Promise<void> {
  if (isTest) return open('/')
  if (action !== 'calling') return open(`/#/lead/${leadId}${action === 'call' ? '/call' : ''}`)
  const answer = await fetch(`/api/leads/${leadId}/calling`, { method: 'POST' }).catch(() => null)
  if (answer?.ok) return
  // Somebody else was first, or nothing could be said: the desk tells which.
  if (answer?.status !== 409) return open(`/#/lead/${leadId}`)
  const { error } = await answer.json()
  await worker.registration.showNotification(error.message, { tag: leadId, silent: true })
}

async function open(url: string): Promise<void> {
  const [desk] = await worker.clients.matchAll({ type: 'window' })
  try {
    await desk?.navigate(url)
    await desk?.focus()
  } catch {
    // It has just been closed.
  }
  if (!desk) await worker.clients.openWindow(url)
}

async function renew(old: PushSubscription | undefined): Promise<void> {
  // Not every browser says how it was subscribed.
  const { publicKey } = await (await fetch('/api/devices')).json()
  const options = old?.options ?? { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await worker.registration.pushManager.subscribe(options)
  await fetch('/api/devices', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ subscription }),
  })
}

export {}
