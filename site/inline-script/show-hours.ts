import type { BusinessHours } from '#leads/hours.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { createCompanyClock } from './company-clock.ts'

/**
 * Updates the wording that depends on whether the company is open, such as the time of the call. Without scripts,
 * visitors see wording that is true at any hour.
 */
export function showHours(
  { emergencies, promiseMinutes }: BusinessHours,
  { findOpenTime, formatTime }: ReturnType<typeof createCompanyClock>,
) {
  const texts = document.querySelectorAll<HTMLElement>('[data-closed]')
  const service = document.querySelector<HTMLSelectElement>('#serviceType')
  const callLabel = document.querySelector('[data-open-until]') as HTMLElement

  function update() {
    const now = Date.now()
    const { from, to } = findOpenTime(now)
    const callTime = formatTime(from + promiseMinutes * minuteMs, now)
    const isUrgent = service?.value === 'emergency' && emergencies === 'always'
    for (const text of texts) {
      const { open = '', closed = '' } = text.dataset
      text.textContent = from > now && !isUrgent ? closed.replace('{time}', callTime) : open
    }
    const { openUntil = '', otherwise = '' } = callLabel.dataset
    const isOpen = from <= now
    // Show 6 PM, not 6:00 PM, because the label is narrow.
    const time = formatTime(isOpen ? to : from, now, 'short').replace(':00', '')
    callLabel.textContent = isOpen
      ? openUntil.replace('{time}', time.replace('12\xa0AM tomorrow', 'midnight'))
      : otherwise.replace('{time}', time)
  }

  function tick() {
    update()
    setTimeout(tick, minuteMs - (Date.now() % minuteMs))
  }

  service?.addEventListener('change', update)
  // Do this after the draft is restored, because it may have selected an emergency.
  tick()
}
