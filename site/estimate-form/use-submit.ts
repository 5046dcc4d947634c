import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type FlatErrors, flatten, safeParse } from 'valibot'
import { fieldNames, type Lead, type LeadField, requiredFields } from '#leads/fields.ts'
import { leadSchema } from '#leads/lead.ts'
import { form as words } from '../content.ts'
import { untilOnline } from './connection.ts'
import { findField } from './field-input.ts'
import { formatNameField, formatPhoneField } from './format-fields.ts'

/** By field, in the order of the form. */
type Errors = NonNullable<FlatErrors<typeof leadSchema>['nested']>

// After this, a note says that it takes longer, and offers the phone number.
const slowMs = 5_000

const longestLoadMs = 8_000

/** Checks and sends the form, once for each press. */
export function useSubmit() {
  const sending = useRef(false)
  const [submitting, setSubmitting] = useState(false)
  const [slow, setSlow] = useState(false)
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
    // Only the outcome of this press counts from here on.
    document.getElementById('estimate-outcomes')?.remove()
    // The second of two quick taps may come after a success has emptied the form.
    if (outcome === 'received' && Object.values(readValues(form)).join('') === '') return
    formatNameField(findField(form, 'name') as HTMLInputElement)
    formatPhoneField(findField(form, 'phone') as HTMLInputElement, { isWhole: true })
    // The disabled button arrives a render later; a quick second press must not send twice.
    if (sending.current || !checkFields(form)) return
    sending.current = true
    setSubmitting(true)
    try {
      await untilOnline()
      // The visitor may have corrected a field while the connection was down.
      const lead = checkFields(form)
      if (lead) await send(lead, form)
    } catch {
      setOutcome('failed')
      void showToast('error', words.toasts.failed)
    } finally {
      sending.current = false
      flushSync(() => setSubmitting(false))
      // A disabled button loses the focus. Give it back to keyboard users.
      if (document.activeElement === document.body)
        form.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
    }
  }

  async function send(lead: Lead, form: HTMLFormElement) {
    const sender = await loadSender()
    if (!sender) {
      await untilOnline()
      // Back would show this page with its button frozen on "Submitting...".
      addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
      form.submit()
      // The page is leaving. Until it has left, ignore further presses.
      return new Promise(() => {})
    }
    await sender.sendLead(form, lead)
    form.reset()
    setOutcome('received')
    void showToast('success', words.toasts.received)
  }

  /** Returns the lead if the fields are valid. Otherwise shows an error at each wrong field. */
  function checkFields(form: HTMLFormElement) {
    const values = readValues(form)
    const lead = safeParse(leadSchema, values)
    const found: Errors = (!lead.success && flatten<typeof leadSchema>(lead.issues).nested) || {}
    // At once, because a screen reader reads the error when the focus moves to its field.
    flushSync(() => {
      setOutcome(undefined)
      setErrors(found)
    })
    const [first = ''] = Object.keys(found)
    findField(form, first)?.focus()
    if (requiredFields.some((name) => values[name]?.trim() === ''))
      void showToast('error', words.toasts.incomplete)
    else void hideToast()
    return lead.success ? lead.output : undefined
  }

  const clearError = (name: LeadField) => setErrors(({ [name]: _corrected, ...others }) => others)

  return { handleSubmit, submitting, slow, errors, clearError, outcome }
}

const readValues = (form: HTMLFormElement) =>
  Object.fromEntries(fieldNames.map((name) => [name, findField(form, name)?.value ?? '']))

/** The code that sends a lead, or undefined if it does not load: a deploy may have replaced the file. */
const loadSender = () =>
  Promise.race([
    import('./send-lead.ts').catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, longestLoadMs)),
  ])

// If the toasts do not load, the notes in the form are enough.
const loadToasts = () => import('./toasts.tsx').catch(() => undefined)

async function showToast(kind: 'success' | 'error', text: string) {
  const toasts = await loadToasts()
  toasts?.showToast(kind, text)
}

async function hideToast() {
  const toasts = await loadToasts()
  toasts?.hideToast()
}

/** Loads what only a visitor who fills in the form needs. */
export function loadAhead() {
  void loadToasts()
  void loadSender()
}
