/* What a visitor in the form will need, and nobody else should pay for. */

const longestLoadMs = 8_000

/** The code that sends a lead; nothing where it hangs, or is gone because another version was deployed. */
export const loadSender = () =>
  Promise.race([
    import('./send-lead.ts').catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, longestLoadMs)),
  ])

// Where the toast's code cannot be had, the notes in the form must do.
const loadToasts = () => import('./toasts.tsx').catch(() => undefined)

export async function showToast(kind: 'success' | 'error', text: string) {
  const toasts = await loadToasts()
  toasts?.showToast(kind, text)
}

export async function hideToast() {
  const toasts = await loadToasts()
  toasts?.hideToast()
}

export function loadAhead() {
  void loadToasts()
  void loadSender()
}
