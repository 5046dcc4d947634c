const interactions = ['pointerdown', 'pointermove', 'keydown', 'focusin']

// If a deploy removed the file, do not request it on every mouse move.
const retryMs = 2_000

// On slow phones, the load event fires before the hero picture is decoded and painted.
const settleMs = 1_000

/** Loads the form's code at the first interaction. The code hydrates the form. */
export function loadFormOnInteraction(codeUrl: string) {
  let isLoading = false
  const load = (event: Event) => {
    const { type, movementX, movementY } = event as PointerEvent
    // When a page opens under the pointer, Chromium reports a move of zero pixels.
    if (isLoading || (type === 'pointermove' && !movementX && !movementY)) return
    isLoading = true
    import(/* @vite-ignore */ codeUrl).catch(() =>
      setTimeout(() => {
        isLoading = false
      }, retryMs),
    )
  }
  for (const type of interactions) addEventListener(type, load)
  addEventListener('load', () => setTimeout(() => isLoading || preload(codeUrl), settleMs))
}

// TypeScript has no type for it, because not all browsers support it.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Downloads the form's code without running it, unless the connection is slow or metered. */
function preload(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  // Do not use requestIdleCallback: Chromium may never call it while the pointer is over the page.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = codeUrl
  document.head.append(link)
}
