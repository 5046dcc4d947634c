import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'call-by'

/** Stores the promised time for this tab. */
export const savePromise = (deadlineAt: number) =>
  unlessBlocked(() => sessionStorage.setItem(storageKey, String(deadlineAt)))

/** After a success and a reload, shows the message again until the promised time has passed. */
export function showPromise(formatTime: (at: number, now: number) => string) {
  const deadlineAt = Number(unlessBlocked(() => sessionStorage.getItem(storageKey)))
  // The storage may be blocked or contain no number, and comparisons with NaN are false.
  if (!(deadlineAt >= Date.now())) return
  // On phones, the browser would scroll back to the button, away from the message.
  history.scrollRestoration = 'manual'
  const { message } = showReceived(formatTime(deadlineAt, Date.now()))
  message.scrollIntoView({ block: 'nearest' })
}

/** Shows the success message in place of the form's heading (outcomes.css). */
export function showReceived(time: string) {
  const message = document.getElementById('estimate-received') as HTMLElement
  const call = message.querySelector('[data-call-by]') as HTMLElement
  const sentence = (call.dataset.callBy as string).replace('{time}', time)
  call.textContent = sentence
  message.dataset.shown = ''
  message.hidden = false
  return { message, sentence }
}
