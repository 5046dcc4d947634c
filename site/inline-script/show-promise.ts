import { dayMs } from '#leads/time-units.ts'
import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'call-by'
// The longest closure (leads/hours.ts) and a day.
const maxWaitMs = 367 * dayMs

/** Stores the promised time for this tab. */
export const savePromise = (deadlineAt: number) =>
  unlessBlocked(() => sessionStorage.setItem(storageKey, String(deadlineAt)))

/** After a success and a reload, shows the message again until the promised time has passed. */
export function showPromise(formatTime: (at: number, now: number) => string) {
  const deadlineAt = Number(unlessBlocked(() => sessionStorage.getItem(storageKey)))
  const waitMs = deadlineAt - Date.now()
  // The storage may be blocked or contain anything, and comparisons with NaN are false.
  if (!(waitMs >= 0 && waitMs < maxWaitMs)) return
  // On phones, the browser would scroll back to the button, away from the message.
  history.scrollRestoration = 'manual'
  const { message } = showReceived(formatTime(deadlineAt, Date.now()))
  message.scrollIntoView({ block: 'nearest' })
}

/**
 * Shows the success message in place of the form's heading (outcomes.css). Without a time, shows the same message as
 * without scripts.
 */
export function showReceived(time?: string) {
  const message = document.getElementById('estimate-received') as HTMLElement
  const call = message.querySelector('[data-call-by]') as HTMLElement
  if (time) call.textContent = (call.dataset.callBy as string).replace('{time}', time)
  message.dataset.shown = ''
  message.hidden = false
  return { message, sentence: call.textContent }
}
