import { forget, keepDraft, readKept } from './keep-draft.ts'
import { keepSource } from './keep-source.ts'

type FormCode = typeof import('../estimate-form/main.tsx')

const contacts = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin']

// After this long without the form's code, a held press goes out the plain way.
const longestHoldMs = 8_000

// Code that could not be had is asked for again after twice this long, then four times, and so on.
const restMs = 1_000

// The load event comes before a slow phone has decoded and drawn the picture it waited for.
const settleMs = 1_000

/*
 * What becomes of a press is decided here alone and before any waiting: whichever of code, time and
 * connection comes second finds that it is too late.
 */
export const steps = {
  idle: { contact: 'loading', press: 'held', pressOffline: 'stranded', code: 'starting' },
  loading: { press: 'held', pressOffline: 'stranded', code: 'starting', missing: 'resting' },
  resting: { press: 'held', pressOffline: 'stranded', code: 'starting', rested: 'idle' },
  held: { offline: 'stranded', code: 'replaying', missing: 'posting', waited: 'posting' },
  stranded: { press: 'held', online: 'held', code: 'replaying' },
  starting: { press: 'replaying', pressOffline: 'replaying', ready: 'live', missing: 'resting' },
  replaying: { ready: 'live', missing: 'posting' },
  live: { unsendable: 'posting' },
  posting: { incomplete: 'resting' },
} as const

type Name<Step> = Step extends unknown ? keyof Step : never
export type State = keyof typeof steps
export type Event = Name<(typeof steps)[State]>

export const findNextState = (state: State, event: Event): State =>
  (steps[state] as Partial<Record<Event, State>>)[event] ?? state

/** Brings the form to life at the first sign of a person. Until then it is a plain HTML form. */
export function loadFormOnContact() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  if (!island || !form) return
  const { code: codeUrl = '', draft: draftKey = '', attempt: attemptKey = '' } = island.dataset
  let state: State = 'idle'
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  /** Whether the event changed anything. */
  const send = (event: Event) => {
    const before = state
    state = findNextState(before, event)
    if (state === before) return false
    clearTimeout(timer)
    // Said by CSS: the words stand in an attribute, for React is not here to say them.
    island.toggleAttribute('data-offline', state === 'stranded')
    island.ariaBusy = /held|stranded|replaying|posting/.test(state) ? 'true' : null
    if (state === 'loading' || (state === 'held' && before !== 'loading')) load()
    if (state === 'held') sendAfter(longestHoldMs, 'waited')
    if (state === 'resting') sendAfter(restMs * 2 ** ++failures, 'rested')
    if (state === 'live' && before === 'replaying') form.requestSubmit()
    // React has checked the fields in its own way.
    if (state === 'posting' && (before === 'live' || form.reportValidity())) post()
    else if (state === 'posting') send('incomplete')
    return true
  }
  const sendAfter = (ms: number, event: Event) => {
    timer = setTimeout(() => send(event), ms)
  }

  const load = () =>
    (import(/* @vite-ignore */ codeUrl) as Promise<FormCode>)
      .then(async ({ hydrateForm }) => {
        if (!send('code')) return
        await hydrateForm(() => send('unsendable'))
        send('ready')
      })
      .catch(() => send('missing'))

  // A press that comes before the code does is held, then acted on once: by React, or by the browser.
  const hold = (event: globalThis.Event) => {
    // The browser says itself what is missing for a plain post.
    if (state === 'live' || (state === 'posting' && event.type === 'invalid')) return
    event.preventDefault()
    // React may listen already.
    event.stopPropagation()
    send(navigator.onLine ? 'press' : 'pressOffline')
  }

  const post = () => {
    if (!form.hasAttribute('data-restored'))
      setHidden('elapsedMs', String(Math.round(performance.now())))
    // The key of the last try to send, by which the function knows the same content again.
    setHidden('idempotencyKey', readKept(attemptKey, 'madeAt')?.idempotencyKey ?? '')
    form.submit()
  }
  const setHidden = (name: string, value: string) => {
    const field = form.elements.namedItem(name) as HTMLInputElement
    field.value = value
  }

  // Back from a post that did not get through, the page is as it was left.
  addEventListener(
    'pageshow',
    ({ persisted }) => persisted && state === 'posting' && location.reload(),
  )

  // The form's code must not touch a field while an input method is at work in it.
  form.addEventListener('compositionstart', () => island.setAttribute('data-composing', ''))
  form.addEventListener('compositionend', () => island.removeAttribute('data-composing'))

  // Chromium also tells a new page where the mouse rests: a move that moves nothing.
  const isRest = ({ type, movementX, movementY }: PointerEvent) =>
    type === 'pointermove' && !movementX && !movementY
  const noteContact = (event: globalThis.Event) => isRest(event as PointerEvent) || send('contact')
  for (const type of contacts) addEventListener(type, noteContact, { passive: true })
  addEventListener('offline', () => send('offline'))
  addEventListener('online', () => send('online'))
  form.addEventListener('submit', hold)
  form.addEventListener('invalid', hold, true)
  showOutcome([draftKey, attemptKey])
  keepDraft(form, draftKey)
  setHidden('source', keepSource())
  addEventListener('load', () =>
    setTimeout(() => state === 'idle' && fetchAhead(codeUrl), settleMs),
  )
}

// Not in every browser, and so not in TypeScript's types.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Fetches the form's code without running it, unless the visitor pays for it in time or money. */
function fetchAhead(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  // Not by requestIdleCallback: where a mouse rests, Chromium may never call back.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = codeUrl
  document.head.append(link)
}

/** Where a plain post has led back here, its outcome is shown. Everyone else hears by toast. */
function showOutcome(keptKeys: string[]) {
  const { hash } = location
  const outcome = /^#estimate-\w+$/.test(hash) && document.querySelector(hash)
  if (!outcome) {
    document.getElementById('estimate-outcomes')?.remove()
    return
  }
  outcome.setAttribute('data-shown', '')
  // A reload, or the next draft, is not that post's any more.
  history.replaceState(history.state, '', location.pathname + location.search)
  if (hash === '#estimate-received') forget(keptKeys)
}
