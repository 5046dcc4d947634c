import { type ComponentProps, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { type BaseIssue, safeParse } from 'valibot'
import {
  type LeadField,
  leadSchema,
  serviceTypes,
} from '../../supabase/functions/submit-to-airtable/lead.ts'
import { callHref, company, form as words } from '../content.ts'
import { AddressSuggestions } from './address-suggestions.tsx'
import { formatNameField } from './format-name.ts'

type Errors = Partial<Record<LeadField, string>>

const functionPath = '/functions/v1/submit-to-airtable'

/**
 * The estimate request. The browser keeps the values: what was typed before this code arrived stays.
 */
export function EstimateForm({ onReady }: { onReady?: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const sending = useRef(false)
  const [submitting, setSubmitting] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const [outcome, setOutcome] = useState<'received' | 'failed'>()

  useEffect(() => {
    if (!form.current) return
    // Without scripts the browser checks `required`. With them the toast says it.
    form.current.noValidate = true
    // Typed before this code was there.
    if (!form.current.hasAttribute('data-composing')) {
      formatNameField(form.current.elements.namedItem('name') as HTMLInputElement)
    }
    onReady?.()
  }, [onReady])

  async function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    // The disabled button arrives a render later; a quick second press must not send twice.
    if (sending.current) return
    const fields = event.currentTarget
    const values = Object.fromEntries(new FormData(fields))
    const lead = safeParse(leadSchema, values)
    setOutcome(undefined)

    if (!lead.success) {
      const found = findErrors(lead.issues)
      setErrors(found)
      const [first] = Object.keys(found)
      if (first) fields.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
      if (requiredFields.some((name) => isBlank(values[name]))) {
        await showToast('error', words.toasts.incomplete)
      }
      return
    }

    sending.current = true
    setErrors({})
    setSubmitting(true)
    try {
      const { sendLead } = await import('./send-lead.ts')
      await sendLead(lead.output)
      fields.reset()
      setOutcome('received')
      await showToast('success', words.toasts.received)
    } catch {
      setOutcome('failed')
      await showToast('error', words.toasts.failed)
    } finally {
      sending.current = false
      setSubmitting(false)
    }
  }

  const field = <Name extends LeadField>(name: Name) => ({
    name,
    error: errors[name],
    onInput: () => setErrors(({ [name]: _mended, ...others }) => others),
  })

  return (
    <form
      ref={form}
      action={`${import.meta.env.VITE_SUPABASE_URL ?? ''}${functionPath}`}
      method="post"
      aria-labelledby="estimate-heading"
      className="estimate-form"
      onSubmit={handleSubmit}
      onFocus={loadAhead}
    >
      <h2 id="estimate-heading">{words.heading}</h2>
      <Input
        {...field('name')}
        type="text"
        autoComplete="name"
        autoCapitalize="words"
        spellCheck={false}
        required
        onInput={(event) => {
          field('name').onInput()
          // Input methods (and most Android keyboards) compose first; changing the text would cut them off.
          if (!(event.nativeEvent as InputEvent).isComposing) formatNameField(event.currentTarget)
        }}
        onCompositionEnd={(event) => formatNameField(event.currentTarget)}
        onBlur={(event) => formatNameField(event.currentTarget)}
      />
      <Input {...field('email')} type="email" autoComplete="email" spellCheck={false} required />
      <Input {...field('phone')} type="tel" autoComplete="tel" required />
      <Input {...field('address')} ref={address} type="text" autoComplete="street-address" required>
        <AddressSuggestions field={address} />
      </Input>
      <div className="field">
        <label htmlFor="serviceType">
          {words.labels.serviceType} <span className="font-normal">{words.optional}</span>
        </label>
        <select id="serviceType" name="serviceType" defaultValue="">
          <option value="">{words.placeholders.serviceType}</option>
          {Object.entries(serviceTypes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" disabled={submitting} className="button mt-2 w-full py-3 text-lg">
        {submitting ? words.submitting : words.submit}
      </button>
      {outcome && (
        <p className="mt-3">
          {words.notes[outcome]}{' '}
          {outcome === 'failed' && (
            <a href={callHref} className="font-bold whitespace-nowrap text-copper underline">
              {company.phone}
            </a>
          )}
        </p>
      )}
    </form>
  )
}

const requiredFields = ['name', 'email', 'phone', 'address'] as const

const isBlank = (value: FormDataEntryValue | undefined) =>
  typeof value !== 'string' || value.trim() === ''

/** The first message of each wrong field, in the order of the form. */
function findErrors(issues: BaseIssue<unknown>[]) {
  const errors: Errors = {}
  for (const { path, message } of issues) {
    const name = path?.[0]?.key as LeadField
    errors[name] ??= message
  }
  return errors
}

type InputProps = ComponentProps<'input'> & {
  name: Exclude<LeadField, 'serviceType'>
  error: string | undefined
}

function Input({ name, error, children, ...attributes }: InputProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{words.labels[name]}</label>
      <input
        id={name}
        name={name}
        placeholder={words.placeholders[name]}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${name}-error` : undefined}
        {...attributes}
      />
      {children}
      {error && (
        <p id={`${name}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

// A visitor in the form will need both; nobody else should pay for them.
function loadAhead() {
  void import('./toasts.tsx')
  void import('./send-lead.ts')
}

async function showToast(kind: 'success' | 'error', text: string) {
  const toasts = await import('./toasts.tsx')
  toasts.showToast(kind, text)
}
