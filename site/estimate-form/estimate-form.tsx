import { type ComponentProps, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type BaseIssue, safeParse } from 'valibot'
import {
  type Lead,
  type LeadField,
  leadSchema,
  type RequiredField,
  requiredFields,
  serviceTypes,
  trapField,
} from '#leads/lead.ts'
import { callHref, company, form as words } from '../content.ts'
import { AddressSuggestions } from './address/suggestions.tsx'
import { createAttempt } from './attempt.ts'
import { untilOnline, useOnline } from './connection.ts'
import { fillInput } from './field-input.ts'
import { formatNameField } from './format-name.ts'
import { formatPhoneField } from './format-phone.ts'
import { loadSender } from './load-sender.ts'
import { localStorageIfAllowed } from './local-storage.ts'
import { suggestEmail } from './suggest-email.ts'

type Errors = Partial<Record<LeadField, string>>

const functionPath = '/functions/v1/submit-to-airtable'
// Then the visitor is told that it takes longer, and how else to reach us.
const slowMs = 5_000

const fieldNames = Object.keys(leadSchema.entries) as LeadField[]

type EstimateFormProps = { onReady?: () => void; postPlainly?: () => void }

/**
 * The estimate request. The browser keeps the values: what was typed before this code arrived stays.
 */
export function EstimateForm({ onReady, postPlainly }: EstimateFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const sending = useRef(false)
  const [attempt] = useState(() => createAttempt(localStorageIfAllowed(), Date.now))
  const [submitting, setSubmitting] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const [outcome, setOutcome] = useState<'received' | 'failed'>()
  const [meantEmail, setMeantEmail] = useState<string>()
  const [slow, setSlow] = useState(false)
  const online = useOnline()

  useEffect(() => {
    if (!submitting) return
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [submitting])

  useEffect(() => {
    if (!form.current) return
    // Without scripts the browser checks `required`. With them the toast says it.
    form.current.noValidate = true
    // Typed before this code was there.
    if (!form.current.closest('[data-composing]')) {
      formatNameField(findField(form.current, 'name') as HTMLInputElement)
      formatPhoneField(findField(form.current, 'phone') as HTMLInputElement)
    }
    onReady?.()
  }, [onReady])

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
      // What was mended while waiting for the connection is what the visitor wants sent.
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
    setMeantEmail(undefined)
    setOutcome('received')
    void showToast('success', words.toasts.received)
  }

  /** The lead, if the fields hold one. Otherwise says at each wrong field how to mend it. */
  function checkFields(form: HTMLFormElement) {
    const values = readValues(form)
    const lead = safeParse(leadSchema, values)
    const found = lead.success ? {} : findErrors(lead.issues)
    const [first = ''] = Object.keys(found)
    // At once: a screen reader reads a field's error with the field, when the focus gets there.
    flushSync(() => {
      setOutcome(undefined)
      setErrors(found)
    })
    findField(form, first)?.focus()
    if (requiredFields.some((name) => values[name]?.trim() === '')) {
      void showToast('error', words.toasts.incomplete)
    } else void hideToast()
    return lead.success ? lead.output : undefined
  }

  const field = <Name extends LeadField>(name: Name) => ({
    name,
    error: errors[name],
    // What is changed on its way would be lost. Who waits for the connection may still change it.
    readOnly: submitting && online,
    // The first is read out at once, the others when the visitor gets there.
    announced: Object.keys(errors)[0] === name,
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
      <Input
        {...field('email')}
        type="email"
        autoComplete="email"
        spellCheck={false}
        required
        onBlur={({ currentTarget: { value } }) =>
          // Not at once: it moves what is below, perhaps the button that is being pressed right now.
          setTimeout(() => setMeantEmail(suggestEmail(value)), 400)
        }
      >
        <p role="status">
          {meantEmail && (
            <span className="field-hint">
              {words.emailHint}{' '}
              <button
                type="button"
                onClick={() => {
                  if (!form.current) return
                  const email = findField(form.current, 'email') as HTMLInputElement
                  fillInput(email, meantEmail)
                  email.focus()
                  setMeantEmail(undefined)
                }}
              >
                {meantEmail}
              </button>
              ?
            </span>
          )}
        </p>
      </Input>
      <Input
        {...field('phone')}
        type="tel"
        autoComplete="tel"
        // For the browser's own check, where no script runs.
        pattern="(\D*\d){7,}\D*"
        title={words.phoneRule}
        required
        onInput={(event) => {
          field('phone').onInput()
          const { inputType = '' } = event.nativeEvent as InputEvent
          // Formatting what is being deleted would put the bracket back that was just removed.
          if (!inputType.startsWith('delete')) formatPhoneField(event.currentTarget)
        }}
        onBlur={(event) => formatPhoneField(event.currentTarget, { isWhole: true })}
      />
      <Input {...field('address')} ref={address} type="text" autoComplete="street-address" required>
        <AddressSuggestions field={address} />
      </Input>
      <div className="field">
        <label htmlFor="serviceType">
          {words.labels.serviceType} <span className="optional">{words.optional}</span>
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
      <Trap />
      <input type="hidden" name="consent" value={words.consent.version} />
      {/* Filled in by load-form.ts when the browser posts the form itself. */}
      <input type="hidden" name="elapsedMs" />
      <input type="hidden" name="idempotencyKey" />
      {/* Filled in by load-form.ts at once. */}
      <input type="hidden" name="source" />
      <button type="submit" disabled={submitting} className="button">
        {submitting ? words.submitting : words.submit}
      </button>
      <div role="status">
        {!online && <CallNote>{submitting ? words.notes.waiting : words.notes.offline}</CallNote>}
        {online && outcome === 'received' && (
          <p className="form-note" data-outcome="received">
            {words.notes.received}
          </p>
        )}
        {online && (slow || outcome === 'failed') && (
          <CallNote>{slow ? words.notes.slow : words.notes.failed}</CallNote>
        )}
      </div>
      <p className="consent">{words.consent.text}</p>
    </form>
  )
}

const findField = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement | null

const readValues = (form: HTMLFormElement) =>
  Object.fromEntries(fieldNames.map((name) => [name, findField(form, name)?.value ?? '']))

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
  name: RequiredField
  error: string | undefined
  announced: boolean
}

function Input({ name, error, announced, children, ...attributes }: InputProps) {
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
        <p id={`${name}-error`} role={announced ? 'alert' : undefined} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

const CallNote = ({ children }: { children: string }) => (
  <p className="form-note">
    {children} <a href={callHref}>{company.phone}</a>
  </p>
)

/** Robots fill in what they find. People do not see it, and password managers are told to leave it. */
function Trap() {
  return (
    <div className="trap" aria-hidden="true">
      <label htmlFor={trapField}>{words.trapLabel}</label>
      <input
        id={trapField}
        name={trapField}
        tabIndex={-1}
        autoComplete="off"
        data-1p-ignore
        data-bwignore
        data-lpignore="true"
        data-form-type="other"
      />
    </div>
  )
}

// A visitor in the form will need both; nobody else should pay for them.
function loadAhead() {
  void import('./toasts.tsx').catch(() => {})
  void loadSender()
}

async function showToast(kind: 'success' | 'error', text: string) {
  // Where the toast's code cannot be had, the notes in the form must do.
  const toasts = await import('./toasts.tsx').catch(() => undefined)
  toasts?.showToast(kind, text)
}

const hideToast = () => import('./toasts.tsx').then((toasts) => toasts.hideToast()).catch(() => {})
