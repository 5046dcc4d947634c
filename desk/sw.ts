// The desk's service worker shows notifications, handles their buttons, and caches the desk. It declares the types that
// it needs, because TypeScript's types for pages and for workers conflict.
type NotifiedLead = {
  leadId: string
  version: number | null
  opensList: boolean
  /** True if the lead has a phone number. */
  canDial: boolean
  isEmergency: boolean
  isCalled: boolean
  /** True if the notification asks whether the caller reached the homeowner. */
  isQuestion: boolean
}
/** Tells the server which notification was shown or tapped. */
type Receipt = { messageId: string }
type Shown = { title: string; body: string; tag: string; silent: boolean }
type Message = { notification: Shown; lead: NotifiedLead; receipt: Receipt }
type Tapped = Notification & { data: NotifiedLead & { receipt: Receipt } }
type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void }
type Fetched = WorkerEvent & {
  request: Request
  preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}
type Events = {
  install: WorkerEvent
  activate: WorkerEvent
  fetch: Fetched
  message: WorkerEvent & { data: unknown }
  push: WorkerEvent & { data?: { json(): Message } }
  notificationclick: WorkerEvent & { action: string; notification: Tapped }
  pushsubscriptionchange: WorkerEvent & { oldSubscription?: PushSubscription }
}
type DeskWindow = { focus(): Promise<DeskWindow>; navigate(url: string): Promise<unknown> }
type ServiceWorkerHere = {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: object): Promise<DeskWindow[]>
    openWindow(url: string): Promise<unknown>
    claim(): Promise<void>
  }
  addEventListener<Type extends keyof Events>(
    type: Type,
    listener: (event: Events[Type]) => void,
  ): void
}
const worker = globalThis as unknown as ServiceWorkerHere

// A notification that someone is calling closes after this time, which is long enough to read it.
const calledMs = 4_000
const reportMs = 10_000

// A full disk must not prevent notifications.
worker.addEventListener('install', (event) => event.waitUntil(cacheDesk().catch(() => {})))

worker.addEventListener('activate', (event) => event.waitUntil(activate()))

// Handles only pages and assets. All other requests, such as those for leads, go to the network, and their responses
// are never stored.
worker.addEventListener('fetch', (event) => {
  const { mode, url } = event.request
  if (mode === 'navigate') event.respondWith(openPage(event))
  else if (new URL(url).pathname.startsWith('/assets/')) event.respondWith(findFile(event.request))
})

worker.addEventListener('push', (event) => {
  const message = event.data?.json()
  if (message) event.waitUntil(show(message))
})

worker.addEventListener('notificationclick', (event) => {
  const { action, notification } = event
  notification.close()
  // Open the window first, because the browser allows that only right after the click.
  event.waitUntil(act(action, notification.data))
  event.waitUntil(report(notification.data.receipt, true))
})

worker.addEventListener('message', (event) => {
  if (event.data === 'turn-off-notifications') event.waitUntil(turnOff())
})

// If the browser replaces its subscription, the server needs the new one.
worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event.oldSubscription))
})

async function activate(): Promise<void> {
  // This lets the browser request the page without waiting for the worker to start.
  await worker.registration.navigationPreload?.enable()
  // Control the page that registered this worker, so that open() can navigate it.
  await worker.clients.claim()
}

/** Opens the cached desk if there is no connection. */
async function openPage(event: Fetched): Promise<Response> {
  try {
    const page = (await event.preloadResponse) ?? (await fetch(event.request))
    // Update the cache, because the server may have a new version of the desk.
    event.waitUntil(cacheDesk().catch(() => {}))
    return page
  } catch (error) {
    const cached = await caches.match(event.request)
    if (!cached) throw error
    return cached
  }
}

const findFile = async (request: Request) => (await caches.match(request)) ?? fetch(request)

/** Stores the page and its files. Without the cookie, the page contains no leads. */
async function cacheDesk(): Promise<void> {
  const page = await fetch('/', { credentials: 'omit' })
  if (!page.ok) return
  const html = await page.clone().text()
  const files = html.match(/\/assets\/[\w.-]+/g) ?? []
  const cache = await caches.open('desk')
  await cache.addAll(files)
  await cache.put('/', page)
  for (const { url } of await cache.keys())
    if (!['/', ...files].includes(new URL(url).pathname)) await cache.delete(url)
}

async function show({ notification, lead, receipt }: Message): Promise<void> {
  const { title, body, tag, silent } = notification
  const canCall = !lead.opensList && !lead.isCalled && !lead.isQuestion
  const options = {
    body,
    tag,
    silent,
    lang: 'en-US',
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    // A reminder replaces the earlier notification and makes a sound again.
    renotify: !silent,
    requireInteraction: lead.isEmergency && canCall,
    actions: canCall
      ? [
          ...(lead.canDial ? [{ action: 'call', title: 'Call' }] : []),
          { action: 'calling', title: lead.canDial ? 'I’m calling' : 'I’m emailing' },
        ]
      : [],
    data: { ...lead, receipt },
  }
  await worker.registration.showNotification(title, options)
  await Promise.all([report(receipt, false), lead.isCalled && closeLater(tag, receipt)])
}

async function closeLater(tag: string, { messageId }: Receipt): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, calledMs))
  // Compare the IDs, because a newer notification may have replaced this one under the same tag.
  for (const shown of await worker.registration.getNotifications({ tag }))
    if (shown.data?.receipt.messageId === messageId) shown.close()
}

/** Ignores errors. If the report is lost, the desk shows the notification as not confirmed. */
async function report(receipt: Receipt, isTapped: boolean): Promise<void> {
  const signal = AbortSignal.timeout(reportMs)
  await post('/api/notifications', { ...receipt, isTapped }, signal).catch(() => {})
}

const post = (path: string, body: object, signal: AbortSignal | null = null) =>
  fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })

async function act(action: string, { leadId, version, opensList }: NotifiedLead): Promise<void> {
  if (opensList) return open('/')
  if (action !== 'calling') return open(`/#/lead/${leadId}${action === 'call' ? '/call' : ''}`)
  const id = crypto.randomUUID()
  const event = { id, kind: 'called', via: 'notification', version: version ?? undefined }
  const answer = await post(`/api/leads/${leadId}/events`, event).catch(() => null)
  if (answer?.ok) return
  if (answer?.status === 401) await turnOff()
  // A 409 response says what happened first, such as a colleague's call. The desk shows any other problem.
  if (answer?.status !== 409) return open(`/#/lead/${leadId}`)
  const { error } = await answer.json()
  await worker.registration.showNotification(error.message, { tag: leadId, silent: true })
}

async function open(url: string): Promise<void> {
  const [desk] = await worker.clients.matchAll({ type: 'window' })
  try {
    if (!desk) throw new Error('The desk is not open.')
    await desk.navigate(url)
    await desk.focus()
  } catch {
    // The window may have been closed, or it may belong to an older worker.
    await worker.clients.openWindow(url)
  }
}

/** Notifications contain homeowners' names, so they must not outlive the session. */
async function turnOff(): Promise<void> {
  for (const shown of await worker.registration.getNotifications()) shown.close()
  const subscription = await worker.registration.pushManager.getSubscription()
  await subscription?.unsubscribe()
}

async function renew(old: PushSubscription | undefined): Promise<void> {
  const answer = await fetch('/api/devices')
  if (answer.status === 401) return
  // Some browsers do not pass the old subscription.
  const { publicKey } = await answer.json()
  const options = old?.options ?? { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await worker.registration.pushManager.subscribe(options)
  await post('/api/devices', { subscription })
}

export {}
