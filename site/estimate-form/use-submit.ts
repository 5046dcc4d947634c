import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type FlatErrors, flatten, safeParse } from 'valibot'
import { type Lead, type LeadField, leadSchema, requiredFields, trapField } from '#leads/lead.ts'
import { form as words } from '../content.ts'
import { createAttempt } from './attempt.ts'
import { untilOnline } from './connection.ts'
import { findField } from './field-input.ts'
import { formatPhoneField } from './format-phone.ts'
import { hideToast, loadSender, showToast } from './load-later.ts'
import { unlessBlocked } from './local-storage.ts'

/** By field, in the order of the form. */
type Errors = NonNullable<FlatErrors<typeof leadSchema>['nested']>

// Then the visitor is told that it takes longer, and how else to reach us.
const slowMs = 5_000

const fieldNames = Object.keys(leadSchema.entries) as LeadField[]

/** Checks and sends the form, once for each press. `postPlainly` lets the browser post it after all. */
export function useSubmit(postPlainly: (() => void) | undefined) {
  const sending = useRef(false)
  const [attempt] = useState(() =>
    createAttempt(
      unlessBlocked(() => localStorage),
      Date.now,
    ),
  )
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
    // What an earlier, plain post came to is history now.
    document.getElementById('estimate-outcomes')?.remove()
    // The second of two quick taps may come after the answer to the first, to an empty form.
    if (outcome === 'received' && Object.values(readValues(form)).join('') === '') return
    formatPhoneField(findField(form, 'phone') as HTMLInputElement, { isWhole: true })
    // The disabled button arrives a render later; a quick second press must not send twice.
    if (sending.current || !checkFields(form)) return
    sending.current = true
    setSubmitting(true)
    try {
      await untilOnline()
      // What was corrected while waiting for the connection is what the visitor wants sent.
      const lead = checkFields(form)
      if (lead) await send(lead, form)
    } catch {
      setOutcome('failed')
      void showToast('error', words.toasts.failed)
    } finally {
      sending.current = false
      flushSync(() => setSubmitting(false))
      // A disabled button loses the focus. A keyboard goes on where it was.
      if (document.activeElement === document.body)
        form.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
    }
  }

  async function send(lead: Lead, form: HTMLFormElement) {
    const details = new URLSearchParams({
      consent: words.consent.version,
      ...(!form.hasAttribute('data-restored') && {
        elapsedMs: String(Math.round(performance.now())),
      }),
      [trapField]: findField(form, trapField)?.value ? 'filled' : '',
      source: findField(form, 'source')?.value ?? '',
    })
    const idempotencyKey = attempt.findIdempotencyKey(JSON.stringify(lead))
    const sender = await loadSender()
    if (!sender) {
      await untilOnline()
      postPlainly?.()
      // The page is leaving. Until it has left, the button stays as it is and no press counts.
      return new Promise(() => {})
    }
    await sender.sendLead(lead, idempotencyKey, details)
    attempt.clear()
    form.reset()
    setOutcome('received')
    void showToast('success', words.toasts.received)
  }

  /** The lead, if the fields hold one. Otherwise says at each wrong field how to correct it. */
  function checkFields(form: HTMLFormElement) {
    const values = readValues(form)
    const lead = safeParse(leadSchema, values)
    const found: Errors = (!lead.success && flatten<typeof leadSchema>(lead.issues).nested) || {}
    // At once: a screen reader reads a field's error with the field, when the focus gets there.
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
