import { keepDraft } from './keep-draft.ts'
import { keepSource } from './keep-source.ts'

type FormCode = typeof import('./main.tsx')

const contacts = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin']

// After this long without the form's code, a held press goes out the plain way.
const longestHoldMs = 8_000

// The load event comes before a slow phone has decoded and drawn the picture it waited for.
const settleMs = 1_000

/** Brings the form to life at the first sign of a person. Until then it is a plain HTML form. */
export function loadFormOnContact() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  if (!island || !form) return
  const { code: codeUrl = '', draft: draftKey = '' } = island.dataset
  let state: 'plain' | 'loading' | 'live' | 'posting' = 'plain'
  let pressed = false

  const load = async () => {
    if (state !== 'plain') return
    state = 'loading'
    try {
      const { hydrateForm }: FormCode = await import(/* @vite-ignore */ codeUrl)
      if (state !== 'loading') return
      await hydrateForm()
      goLive()
    } catch {
      // No code (offline, blocked): the next contact tries again, a press that waits does so now.
      state = 'plain'
      if (!pressed) return
      if (navigator.onLine) postPlainly()
      else {
        // Said by CSS: the words stand in an attribute, for React is not here to say them.
        island.setAttribute('data-offline', '')
        addEventListener('online', load, { once: true })
      }
    }
  }

  const goLive = () => {
    state = 'live'
    for (const type of contacts) removeEventListener(type, load)
    form.removeEventListener('submit', hold)
    form.removeEventListener('invalid', hold, true)
    island.ariaBusy = null
    island.removeAttribute('data-offline')
    if (pressed) form.requestSubmit()
  }

  // A press that comes before the code does is held, then acted on once: by React, or by the browser.
  const hold = (event: Event) => {
    event.preventDefault()
    if (!pressed) setTimeout(() => state === 'loading' && postPlainly(), longestHoldMs)
    pressed = true
    island.ariaBusy = 'true'
    island.toggleAttribute('data-offline', !navigator.onLine)
    void load()
  }

  const postPlainly = () => {
    form.removeEventListener('invalid', hold, true)
    const complete = form.reportValidity()
    form.addEventListener('invalid', hold, true)
    if (complete) {
      // From here on no code is let in and no press counts: the browser is on its way.
      state = 'posting'
      if (!form.hasAttribute('data-restored'))
        setHidden('elapsedMs', String(Math.round(performance.now())))
      form.submit()
    } else {
      pressed = false
      island.ariaBusy = null
    }
  }
  const setHidden = (name: string, value: string) => {
    const field = form.elements.namedItem(name) as HTMLInputElement
    field.value = value
  }

  // Back from a post that did not get through, the page is as it was left.
  addEventListener('pageshow', () => state === 'posting' && location.reload())

  // The form's code must not touch a field while an input method is at work in it.
  form.addEventListener('compositionstart', () => island.setAttribute('data-composing', ''))
  form.addEventListener('compositionend', () => island.removeAttribute('data-composing'))

  for (const type of contacts) addEventListener(type, load, { passive: true })
  form.addEventListener('submit', hold)
  form.addEventListener('invalid', hold, true)
  showOutcome(draftKey)
  keepDraft(form, draftKey)
  setHidden('source', keepSource())
  addEventListener('load', () =>
    setTimeout(() => state === 'plain' && fetchAhead(codeUrl), settleMs),
  )
}

// Not in every browser, and so not in TypeScript's types.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Fetches the form's code without running it, unless the visitor pays for it in time or money. */
function fetchAhead(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  // Safari has no requestIdleCallback.
  const whenIdle: (work: () => void) => void = window.requestIdleCallback ?? setTimeout
  whenIdle(() => {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = codeUrl
    document.head.append(link)
  })
}

/** Where a plain post has led back here, its outcome is shown. Everyone else hears by toast. */
function showOutcome(draftKey: string) {
  const { hash } = location
  const outcome = /^#estimate-\w+$/.test(hash) && document.querySelector(hash)
  if (!outcome) {
    document.getElementById('estimate-outcomes')?.remove()
    return
  }
  outcome.setAttribute('data-shown', '')
  // A reload, or the next draft, is not that post's any more.
  history.replaceState(history.state, '', location.pathname + location.search)
  if (hash !== '#estimate-received') return
  try {
    localStorage.removeItem(draftKey)
  } catch {
    // Blocked: then nothing was kept.
  }
}
