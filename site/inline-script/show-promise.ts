import { dayMs } from '#leads/time-units.ts'
import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'call-by'
// The longest closure (leads/hours.ts) plus a day.
const maxWaitMs = 367 * dayMs

/** Stores the promised time for this tab. */
export const savePromise = (deadlineAt: number) =>
  unlessBlocked(() => sessionStorage.setItem(storageKey, String(deadlineAt)))

/** Shows the success message again after a reload, until the promised time has passed. */
export function showPromise(formatTime: (at: number, now: number) => string) {
  const deadlineAt = Number(unlessBlocked(() => sessionStorage.getItem(storageKey)))
  const waitMs = deadlineAt - Date.now()
  // The stored value may be missing or invalid, and comparisons with NaN are false.
  if (!(waitMs >= 0 && waitMs < maxWaitMs)) return
  // On phones, restoring the scroll position would scroll past the message to the button.
  history.scrollRestoration = 'manual'
  const { message } = showReceived(formatTime(deadlineAt, Date.now()))
  message.scrollIntoView({ block: 'nearest' })
}

/**
 * Shows the success message instead of the form's heading (outcomes.css). Without a time, it shows the message for
 * visitors without JavaScript.
 */
export function showReceived(time?: string) {
  const message = document.getElementById('estimate-received') as HTMLElement
  const call = message.querySelector('[data-call-by]') as HTMLElement
  if (time) call.textContent = (call.dataset.callBy as string).replace('{time}', time)
  message.dataset.shown = ''
  message.hidden = false
  return { message, sentence: call.textContent }
}
