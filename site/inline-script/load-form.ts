const contacts = ['pointerdown', 'pointermove', 'keydown', 'focusin']

// A file that is gone after a deploy must not be requested at every move of the mouse.
const retryMs = 2_000

// The load event comes before a slow phone has decoded and drawn the hero picture.
const settleMs = 1_000

/** Loads the form's code at the first sign of a person. The code hydrates the form. */
export function loadFormOnContact(codeUrl: string) {
  let isLoading = false
  const load = (event: Event) => {
    if (isLoading || isRestingMouse(event as PointerEvent)) return
    isLoading = true
    import(/* @vite-ignore */ codeUrl).catch(() =>
      setTimeout(() => {
        isLoading = false
      }, retryMs),
    )
  }
  for (const type of contacts) addEventListener(type, load)
  addEventListener('load', () => setTimeout(() => isLoading || fetchAhead(codeUrl), settleMs))
}

/** When a page opens under a resting mouse, Chromium reports a move by zero pixels. */
const isRestingMouse = ({ type, movementX, movementY }: PointerEvent) =>
  type === 'pointermove' && !movementX && !movementY

// Not every browser has it, so TypeScript does not know it.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Fetches the form's code without running it, unless the connection is slow or metered. */
function fetchAhead(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  // Not in requestIdleCallback: under a resting mouse Chromium may never call it.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = codeUrl
  document.head.append(link)
}
