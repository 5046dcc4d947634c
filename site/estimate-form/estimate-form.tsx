import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { type RequiredField, serviceTypes, trapField } from '#leads/lead.ts'
import { callHref, company, form as words } from '../content.ts'
import { AddressSuggestions } from './address/suggestions.tsx'
import { useOnline } from './connection.ts'
import { fillInput, findField } from './field-input.ts'
import { formatNameField } from './format-name.ts'
import { formatPhoneField } from './format-phone.ts'
import { loadAhead } from './load-later.ts'
import { standStill } from './stand-still.ts'
import { suggestEmail } from './suggest-email.ts'
import { useSubmit } from './use-submit.ts'

const functionPath = '/functions/v1/submit-to-airtable'

type EstimateFormProps = { onReady?: () => void; postPlainly?: () => void }

/**
 * The estimate request. The browser keeps the values: what was typed before this code arrived stays.
 */
export function EstimateForm({ onReady, postPlainly }: EstimateFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const email = useRef<HTMLInputElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const [meantEmail, setMeantEmail] = useState<string>()
  const { handleSubmit, submitting, slow, errors, clearError, outcome } = useSubmit(postPlainly)
  const online = useOnline()

  useEffect(() => {
    if (!form.current) return
    // Without scripts the browser checks `required`. With them the toast says it.
    form.current.noValidate = true
    // Typed before this code was there.
    if (!form.current.closest('[data-composing]')) {
      formatNameField(findField(form.current, 'name') as HTMLInputElement)
      formatPhoneField(findField(form.current, 'phone') as HTMLInputElement)
    }
    const stop = standStill(form.current)
    onReady?.()
    return stop
  }, [onReady])

  function takeMeantEmail() {
    if (!email.current || !meantEmail) return
    fillInput(email.current, meantEmail)
    email.current.focus()
    setMeantEmail(undefined)
  }

  const field = (name: RequiredField) => ({
    name,
    error: errors[name]?.[0],
    // What is changed on its way would be lost. Who waits for the connection may still change it.
    readOnly: submitting && online,
    // The first is read out at once, the others when the visitor gets there.
    announced: Object.keys(errors)[0] === name,
    onInput: () => clearError(name),
  })

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
      <Input
        {...field('name')}
        type="text"
        autoComplete="name"
        autoCapitalize="words"
        spellCheck={false}
        onInput={(event) => {
          clearError('name')
          // Input methods (and most Android keyboards) compose first; changing the text would cut them off.
          if (!(event.nativeEvent as InputEvent).isComposing) formatNameField(event.currentTarget)
        }}
        onCompositionEnd={(event) => formatNameField(event.currentTarget)}
        onBlur={(event) => formatNameField(event.currentTarget)}
      />
      <Input
        {...field('email')}
        ref={email}
        type="email"
        autoComplete="email"
        spellCheck={false}
        onBlur={({ currentTarget: { value } }) =>
          // Not at once: it moves what is below, perhaps the button that is being pressed right now.
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
      <Input
        {...field('phone')}
        type="tel"
        autoComplete="tel"
        // For the browser's own check, where no script runs.
        pattern="(\D*\d){7,}\D*"
        title={words.phoneRule}
        onInput={(event) => {
          clearError('phone')
          const { inputType = '' } = event.nativeEvent as InputEvent
          // Formatting what is being deleted would put the bracket back that was just removed.
          if (!inputType.startsWith('delete')) formatPhoneField(event.currentTarget)
        }}
        onBlur={(event) => formatPhoneField(event.currentTarget, { isWhole: true })}
      />
      <Input {...field('address')} ref={address} type="text" autoComplete="street-address">
        <AddressSuggestions field={address} />
      </Input>
      <div className="field">
        <label htmlFor="serviceType">
          {words.labels.serviceType} <span>{words.optional}</span>
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
      {/* Filled in by load-form.ts when the browser posts the form itself; the source at once. */}
      <input type="hidden" name="elapsedMs" />
      <input type="hidden" name="idempotencyKey" />
      <input type="hidden" name="source" />
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
        required
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
