import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type FlatErrors, flatten, safeParse } from 'valibot'
import { computeCallTime, formatTime } from '#leads/call-time.ts'
import { fieldNames, type Lead, type LeadField, requiredFields } from '#leads/fields.ts'
import { fill } from '#leads/fill.ts'
import { leadSchema } from '#leads/lead.ts'
import { minuteMs } from '#leads/time-units.ts'
import { savePromise } from '../inline-script/show-promise.ts'
import { untilOnline } from './connection.ts'
import { findField } from './field-input.ts'
import type { FormContent } from './form-content.ts'
import { formatNameField, formatPhoneField } from './format-fields.ts'
import { hideOutcomes, revealReceived } from './outcomes.ts'
import type { Received } from './send-lead.ts'

/** Errors by field, in the order of the form. */
type Errors = NonNullable<FlatErrors<typeof leadSchema>['nested']>

// After this time, a note explains the delay and offers the phone number.
const slowMs = 5_000

const loadTimeoutMs = 8_000

export function findErrors(values: object): Errors {
  const { issues } = safeParse(leadSchema, values)
  return (issues && flatten<typeof leadSchema>(issues).nested) ?? {}
}

/** Validates the form and sends it once for each submit. */
export function useSubmit(content: FormContent) {
  const { words } = content
  const sending = useRef(false)
  const [submitting, setSubmitting] = useState(false)
  const [slow, setSlow] = useState(false)
  const [waiting, setWaiting] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const [outcome, setOutcome] = useState<'received' | 'failed'>()

  useEffect(() => {
    if (!submitting) return
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [submitting])

  async function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    // Ignore an empty form after a success, because a double tap's second tap may come after the form was cleared.
    if (outcome === 'received' && Object.values(readValues(form)).join('') === '') return
    formatNameField(findField(form, 'name') as HTMLInputElement)
    formatPhoneField(findField(form, 'phone') as HTMLInputElement)
    // The button is disabled only after a render, so a fast second click could send twice.
    if (sending.current) return
    let lead = checkFields(form)
    if (!lead) return
    sending.current = true
    setSubmitting(true)
    try {
      while (lead && !(await send(lead, form))) {
        setWaiting(true)
        await untilOnline()
        setWaiting(!navigator.onLine)
        // The visitor may have corrected a field while the connection was down.
        lead = checkFields(form)
      }
    } catch {
      setOutcome('failed')
      showToast('error', words.toasts.failed)
    } finally {
      sending.current = false
      flushSync(() => {
        setSubmitting(false)
        setWaiting(false)
      })
      // The disabled button lost focus, so restore it for keyboard users.
      if (document.activeElement === document.body)
        form.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
    }
  }

  /** Returns false if the browser is offline. */
  async function send(lead: Lead, form: HTMLFormElement): Promise<boolean> {
    const sender = await loadSender()
    if (!sender) {
      if (!navigator.onLine) return false
      // Reload after Back. Otherwise, the browser may show this page with the button stuck on "Submitting...".
      addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
      form.submit()
      // Ignore further submits until the browser leaves the page.
      return new Promise(() => {})
    }
    const received = await sender.sendLead(form, lead)
    if (!received) return false
    form.reset()
    setOutcome('received')
    showToast('success', showCall(content, lead, received, form))
    return true
  }

  /** Returns the lead if all fields are valid. Otherwise, shows an error for each invalid field. */
  function checkFields(form: HTMLFormElement) {
    const values = readValues(form)
    const lead = safeParse(leadSchema, values)
    const found = findErrors(values)
    // Render immediately, because screen readers read the error when the focus moves to its field.
    hideOutcomes()
    flushSync(() => {
      setOutcome(undefined)
      setErrors(found)
    })
    const [first = ''] = Object.keys(found)
    const firstField = findField(form, first)
    firstField?.focus()
    // If the field was already focused, the visitor may have scrolled it behind the header.
    firstField?.scrollIntoView({ block: 'nearest' })
    if (requiredFields.some((name) => values[name]?.trim() === ''))
      showToast('error', words.toasts.incomplete)
    else void loadToasts().then((toasts) => toasts?.hideToast())
    return lead.success ? lead.output : undefined
  }

  const clearError = (name: LeadField) => setErrors(({ [name]: _corrected, ...others }) => others)

  return {
    handleSubmit,
    submitting,
    slow,
    waiting,
    errors,
    clearError,
    failed: outcome === 'failed',
  }
}

const readValues = (form: HTMLFormElement) =>
  Object.fromEntries(fieldNames.map((name) => [name, findField(form, name)?.value ?? '']))

/**
 * Shows when the company will call, and returns the toast's text. `callBy` is missing if the server runs an older
 * version.
 */
function showCall(
  { hours, words: { toasts }, closed }: FormContent,
  { serviceType }: Lead,
  { receivedAt, callBy = computeCallTime(receivedAt, serviceType, hours).deadlineAt }: Received,
  form: HTMLFormElement,
) {
  // A repeated request gets the time that was promised for the first one, which may have passed.
  if (callBy < receivedAt) {
    revealReceived(form)
    return toasts.received
  }
  const time = formatTime(callBy, { now: receivedAt, hours })
  savePromise(callBy)
  const message = revealReceived(form, time)
  // Allow an extra minute, because the server sends its time without milliseconds.
  const isWithinPromise = callBy - receivedAt < (hours.promiseMinutes + 1) * minuteMs
  // If the page was made when the company was always open, it has no toast for a later call.
  return isWithinPromise ? toasts.received : closed ? fill(closed.toast, { time }) : message
}

/** Loads the code that sends a lead. Resolves to undefined if it does not load, such as after a deploy. */
const loadSender = () =>
  Promise.race([
    import('./send-lead.ts').catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, loadTimeoutMs)),
  ])

// Ignore the error, because the form still shows the outcome without toasts.
const loadToasts = () => import('./toasts.tsx').catch(() => undefined)

const showToast = (kind: 'success' | 'error', text: string) =>
  void loadToasts().then((toasts) => toasts?.showToast(kind, text))

/** Preloads code that is needed only to submit the form. */
export function preloadSubmitCode() {
  void loadToasts()
  void loadSender()
}
