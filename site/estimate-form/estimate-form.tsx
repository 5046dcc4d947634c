import { type ComponentProps, Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { fieldNames, type LeadField, leadFields, serviceTypes } from '#leads/fields.ts'
import { trapField } from '#leads/lead.ts'
import { company, form as words } from '../content.ts'
import { callHref } from '../sections/call-link.tsx'
import { AddressSuggestions } from './address/suggestions.tsx'
import { useOnline } from './connection.ts'
import { fillInput, findField } from './field-input.ts'
import { formatNameField, formatPhoneField } from './format-fields.ts'
import { suggestEmail } from './suggest-email.ts'
import { loadAhead, useSubmit } from './use-submit.ts'

const functionPath = '/functions/v1/submit-to-airtable'

/** The estimate request. The fields are uncontrolled, so that typing before hydration is not lost. */
export function EstimateForm() {
  const form = useRef<HTMLFormElement>(null)
  const email = useRef<HTMLInputElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const [meantEmail, setMeantEmail] = useState<string>()
  const { handleSubmit, submitting, slow, errors, clearError, outcome } = useSubmit()
  const online = useOnline()

  useEffect(() => {
    if (!form.current) return
    // From here on the toast reports missing fields, and the inline script leaves presses to React.
    form.current.noValidate = true
    // Format what was typed before hydration, but not the field in use: an input method may be composing.
    for (const [name, format] of [
      ['name', formatNameField],
      ['phone', formatPhoneField],
    ] as const) {
      const field = findField(form.current, name)
      if (field && field !== document.activeElement) format(field)
    }
    return lockHeroHeight(form.current)
  }, [])

  function takeMeantEmail() {
    if (!email.current || !meantEmail) return
    fillInput(email.current, meantEmail)
    email.current.focus()
    setMeantEmail(undefined)
  }

  const field = (name: LeadField) => ({
    name,
    error: errors[name]?.[0],
    // A change during sending would be lost. While the visitor waits for the connection, changes count.
    readOnly: submitting && online,
    // A screen reader reads the first error at once, the others with their fields.
    announced: Object.keys(errors)[0] === name,
    onInput: () => clearError(name),
  })

  const inputs: Record<LeadField, ReactNode> = {
    name: (
      <Input
        {...field('name')}
        type="text"
        autoComplete="name"
        autoCapitalize="words"
        spellCheck={false}
        onInput={(event) => {
          clearError('name')
          // Input methods (and most Android keyboards) compose first; changing the text would interrupt them.
          if (!(event.nativeEvent as InputEvent).isComposing) formatNameField(event.currentTarget)
        }}
        onCompositionEnd={(event) => formatNameField(event.currentTarget)}
        onBlur={(event) => formatNameField(event.currentTarget)}
      />
    ),
    email: (
      <Input
        {...field('email')}
        ref={email}
        type="email"
        autoComplete="email"
        spellCheck={false}
        onBlur={({ currentTarget: { value } }) =>
          // Not at once: the hint moves the button, which the visitor may be pressing right now.
          setTimeout(() => setMeantEmail(suggestEmail(value)), 400)
        }
      >
        <p role="status">
          {meantEmail && (
            <span className="field-hint">
              {words.emailHint}{' '}
              <button type="button" onClick={takeMeantEmail}>
                {meantEmail}
              </button>
              ?
            </span>
          )}
        </p>
      </Input>
    ),
    phone: (
      <Input
        {...field('phone')}
        type="tel"
        autoComplete="tel"
        // For the browser's own check, before React or without scripts.
        pattern="(\D*\d){7,}\D*"
        title={words.phoneRule}
        onInput={(event) => {
          clearError('phone')
          const { inputType = '' } = event.nativeEvent as InputEvent
          // Formatting during a deletion would put back the bracket that was just removed.
          if (!inputType.startsWith('delete')) formatPhoneField(event.currentTarget)
        }}
        onBlur={(event) => formatPhoneField(event.currentTarget, { isWhole: true })}
      />
    ),
    address: (
      <Input {...field('address')} ref={address} type="text" autoComplete="street-address">
        <AddressSuggestions field={address} />
      </Input>
    ),
    serviceType: (
      <div className="field">
        <Label name="serviceType" />
        <select id="serviceType" name="serviceType" defaultValue="">
          <option value="">{words.placeholders.serviceType}</option>
          {Object.entries(serviceTypes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
    ),
  }

  return (
    <form
      ref={form}
      action={`${import.meta.env.VITE_SUPABASE_URL ?? ''}${functionPath}`}
      method="post"
      aria-labelledby="estimate-heading"
      className="estimate-form"
      onSubmit={handleSubmit}
      onReset={() => setMeantEmail(undefined)}
      onFocus={loadAhead}
    >
      <h2 id="estimate-heading">{words.heading}</h2>
      {fieldNames.map((name) => (
        <Fragment key={name}>{inputs[name]}</Fragment>
      ))}
      <Trap />
      <input type="hidden" name="consent" value={words.consent.version} />
      {/* Made by save-draft.ts. After Back, browsers restore a text field, but not type="hidden". */}
      <input hidden name="idempotencyKey" />
      <button type="submit" disabled={submitting} className="button large">
        {submitting ? words.submitting : words.submit}
      </button>
      <div role="status" className="notes" data-room={words.notes.received} data-busy={submitting}>
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

type InputProps = ComponentProps<'input'> & {
  name: LeadField
  error: string | undefined
  announced: boolean
}

function Input({ name, error, announced, children, ...attributes }: InputProps) {
  return (
    <div className="field">
      <Label name={name} />
      <input
        id={name}
        name={name}
        placeholder={words.placeholders[name]}
        required={leadFields[name].required}
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

const Label = ({ name }: { name: LeadField }) => (
  <label htmlFor={name}>
    {words.labels[name]}
    {!leadFields[name].required && <span> {words.optional}</span>}
  </label>
)

const CallNote = ({ children }: { children: string }) => (
  <p className="form-note">
    {children} <a href={callHref}>{company.phone}</a>
  </p>
)

/** A trap for robots, which fill in every field. People do not see it, and password managers ignore it. */
const Trap = () => (
  <div className="unseen" aria-hidden="true">
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

/**
 * Sets --grown to how much taller the form is than without errors and notes. The hero grows by that
 * much at its lower end (hero.css), so that the text beside the form does not move.
 */
function lockHeroHeight(form: HTMLFormElement) {
  const hero = form.closest<HTMLElement>('.hero')
  const measure = (element: Element | null) => element?.getBoundingClientRect().height ?? 0
  let restingPx = 0
  const makeRoom = () => {
    if (!form.querySelector('.field-error, .field-hint'))
      restingPx = measure(form) - measure(form.querySelector('.notes'))
    hero?.style.setProperty('--grown', `${measure(form) - restingPx}px`)
  }
  // At once, because a press during hydration shows errors before the observer's first call.
  makeRoom()
  const observer = new ResizeObserver(makeRoom)
  observer.observe(form)
  return () => observer.disconnect()
}
