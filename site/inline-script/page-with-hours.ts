/*
 * The inline script for a company that is not always open. While it is closed, the page shows the
 * time of the call. Without scripts, visitors see text that is true at any hour.
 */
import { findCallTime } from '#leads/call-time.ts'
import type { BusinessHours } from '#leads/hours.ts'
import './page.ts'

const minuteMs = 60_000

// The page contains the hours, because importing the content would bundle its texts, too.
const hours: BusinessHours = JSON.parse(document.getElementById('estimate')?.dataset.hours ?? '')

const texts = document.querySelectorAll<HTMLElement>('[data-closed]')
const service = document.querySelector<HTMLSelectElement>('#serviceType')

function update() {
  const { time, isClosed } = findCallTime(Date.now(), service?.value ?? '', hours)
  for (const text of texts) {
    const { open = '', closed = '' } = text.dataset
    text.textContent = isClosed ? closed.replace('{time}', time) : open
  }
}

function tick() {
  update()
  setTimeout(tick, minuteMs - (Date.now() % minuteMs))
}

// A draft may have restored the service, and an emergency is called back sooner.
service?.addEventListener('change', update)
tick()
