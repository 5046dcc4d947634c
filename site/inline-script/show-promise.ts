import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'call-by'

/** Stores the promised time for this tab. */
export const savePromise = (deadlineAt: number) =>
  unlessBlocked(() => sessionStorage.setItem(storageKey, String(deadlineAt)))

/** After a success and a reload, shows the promised time again until it has passed. */
export function showPromise(format: (at: number) => string) {
  const deadlineAt = Number(unlessBlocked(() => sessionStorage.getItem(storageKey)))
  if (deadlineAt < Date.now()) return
  const outcomes = document.getElementById('estimate-outcomes') as HTMLElement
  outcomes.dataset.notice = 'received'
  ;(outcomes.querySelector('time') as HTMLElement).textContent = format(deadlineAt)
}
