/*
 * The inline script for a company that is not always open. While it is closed, the page shows the
 * time of the call. Without scripts, visitors see text that is true at any hour.
 */
import { computeCallTime, formatTime } from '#leads/call-time.ts'
import { computeClosing, computeOpening } from '#leads/hours.ts'
import { readFormContent } from '../estimate-form/form-content.ts'
import './page.ts'
import { showPromise } from './show-promise.ts'

const minuteMs = 60_000

const island = document.getElementById('estimate') as HTMLElement
const { hours } = readFormContent(island)

const texts = document.querySelectorAll<HTMLElement>('[data-closed]')
const service = document.querySelector<HTMLSelectElement>('#serviceType')

const callLabel = document.querySelector<HTMLElement>('[data-open-until]')

function update() {
  const now = Date.now()
  const { time: callTime, isClosed } = computeCallTime(now, service?.value ?? '', hours)
  for (const text of texts) {
    const { open = '', closed = '' } = text.dataset
    text.textContent = isClosed ? closed.replace('{time}', callTime) : open
  }
  if (!callLabel) return
  const { openUntil = '', otherwise = '' } = callLabel.dataset
  const closesAt = computeClosing(now, hours)
  const changesAt = formatTime(closesAt ?? computeOpening(now, hours), { now, hours })
  // 6 PM, not 6:00 PM, because the label is narrow.
  const time = changesAt.replace(':00', '')
  callLabel.textContent = closesAt
    ? openUntil.replace('{time}', time.replace('12 AM tomorrow', 'midnight'))
    : otherwise.replace('{time}', time)
}

function tick() {
  update()
  setTimeout(tick, minuteMs - (Date.now() % minuteMs))
}

// A draft may have restored the service, and an emergency is called back sooner.
service?.addEventListener('change', update)
tick()
// Unlike page.ts, this adds the day.
showPromise((at) => formatTime(at, { now: Date.now(), hours }))
