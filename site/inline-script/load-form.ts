export function onInteraction(react: () => void) {
  const listen = ({ type, movementX, movementY }: Event & Partial<PointerEvent>) => {
    // When a page opens under the pointer, Chromium reports a move of zero pixels.
    if (type !== 'pointermove' || movementX || movementY) react()
  }
  for (const type of ['pointerdown', 'pointermove', 'keydown', 'focusin'])
    addEventListener(type, listen)
}

// Wait before a retry. Otherwise, a file that a deploy has removed would be requested on every mouse move.
const retryMs = 2_000

/** At the first interaction, loads the code that hydrates the form. Returns a function that preloads this code. */
export function loadFormOnInteraction(codeUrl: string) {
  let isLoading = false
  onInteraction(() => {
    if (isLoading) return
    isLoading = true
    import(/* @vite-ignore */ codeUrl).catch(() =>
      setTimeout(() => {
        isLoading = false
      }, retryMs),
    )
  })
  return () => isLoading || preload(codeUrl)
}

// TypeScript has no type for navigator.connection, because not all browsers support it.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Downloads the form's code without running it, unless the connection is slow or the visitor limits data use. */
function preload(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  // Do not use requestIdleCallback: Chromium may never call it while the pointer is over the page.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = codeUrl
  document.head.append(link)
}
