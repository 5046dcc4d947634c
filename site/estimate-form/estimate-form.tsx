import { type ComponentProps, Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { type Field, fieldNames, type LeadField, leadFields, serviceTypes } from '#leads/fields.ts'
import { phonePattern, trapField } from '#leads/lead.ts'
import { suggestEmail } from '#leads/suggest-email.ts'
import { formatCallHref } from '../sections/call-href.ts'
import { AddressSuggestions } from './address/suggestions.tsx'
import { fillInput, findField } from './field-input.ts'
import type { FormContent } from './form-content.ts'
import { formatNameField, formatPhoneField } from './format-fields.ts'
import { lockHeroHeight } from './lock-hero-height.ts'
import { preloadSubmitCode, useSubmit } from './use-submit.ts'

const functionPath = '/functions/v1/submit-to-airtable'

/** The estimate request form. Its fields are uncontrolled, so that text typed before hydration is kept. */
export function EstimateForm({ content }: { content: FormContent }) {
  const { phone, hours, words, closed } = content
  const { privacyPolicy } = words.consent
  // One line per sentence.
  const heading = words.heading.replace('. ', '.\n')
  const form = useRef<HTMLFormElement>(null)
  const email = useRef<HTMLInputElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const [suggestedEmail, setSuggestedEmail] = useState<string>()
  const suggestionTimer = useRef(0)
  const { handleSubmit, submitting, slow, waiting, errors, clearError, outcome, receivedNote } =
    useSubmit(content)
  const receivedText = `${receivedNote}\n${words.notes.questions}`

  useEffect(() => {
    if (!form.current) return
    // From here on, React handles submits, and a toast reports missing fields.
    form.current.noValidate = true
    // Format text typed before hydration, except in the focused field, where an input method may be composing.
    for (const [name, format] of [
      ['name', formatNameField],
      ['phone', formatPhoneField],
    ] as const) {
      const field = findField(form.current, name)
      if (field && field !== document.activeElement) format(field)
    }
    return lockHeroHeight(form.current)
  }, [])

  function acceptSuggestedEmail() {
    if (!email.current || !suggestedEmail) return
    fillInput(email.current, suggestedEmail)
    email.current.focus()
  }

  function hideSuggestedEmail() {
    clearTimeout(suggestionTimer.current)
    setSuggestedEmail(undefined)
  }

  const field = (name: LeadField) => ({
    name,
    label: <Label name={name} words={words} />,
    placeholder: words.placeholders[name],
    error: errors[name]?.[0],
    // Changes made while sending would be lost, but changes made while offline are still sent.
    readOnly: submitting && !waiting,
    // Screen readers announce the first error immediately and the others with their fields.
    announced: Object.keys(errors)[0] === name,
    onInput: () => clearError(name),
  })

  /** Other fields are plain text. */
  const inputs: Partial<Record<LeadField, ReactNode>> = {
    name: (
      <Input
        {...field('name')}
        type="text"
        autoComplete="name"
        autoCapitalize="words"
        spellCheck={false}
        onInput={(event) => {
          clearError('name')
          // Changing the text would interrupt input methods and most Android keyboards, which compose first.
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
        onInput={() => {
          clearError('email')
          hideSuggestedEmail()
        }}
        onBlur={({ currentTarget: { value } }) => {
          // Delay the hint, because it moves the button that the visitor may be clicking.
          suggestionTimer.current = window.setTimeout(
            () => setSuggestedEmail(suggestEmail(value)),
            400,
          )
        }}
      >
        <p role="status">
          {suggestedEmail && (
            <span className="field-hint">
              {words.emailHint}{' '}
              <button type="button" onClick={acceptSuggestedEmail}>
                {suggestedEmail}
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
        // For native validation, before hydration or without scripts. The server also reads full-width digits.
        pattern={`${phonePattern}|.*[^ -~].*`}
        title={words.phoneRule}
        onInput={(event) => {
          clearError('phone')
          const { inputType = '' } = event.nativeEvent as InputEvent
          // Formatting during a deletion would restore the parenthesis that was just deleted.
          if (!inputType.startsWith('delete')) formatPhoneField(event.currentTarget)
        }}
        onBlur={(event) => formatPhoneField(event.currentTarget)}
      />
    ),
    address: (
      <Input {...field('address')} ref={address} type="text" autoComplete="street-address">
        <AddressSuggestions field={address} places={content.places} />
      </Input>
    ),
    serviceType: (
      <div className="field">
        <Label name="serviceType" words={words} />
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
      onReset={hideSuggestedEmail}
      onFocus={preloadSubmitCode}
    >
      {/* The inline script updates the text (call-time.ts). */}
      {closed ? (
        <h2
          id="estimate-heading"
          suppressHydrationWarning
          data-open={heading}
          data-closed={closed.heading}
        >
          {closed.headingAnytime}
        </h2>
      ) : (
        <h2 id="estimate-heading">{heading}</h2>
      )}
      {closed && hours.emergencies === 'always' && (
        <div className="field">
          <CallNote phone={phone}>{closed.emergency}</CallNote>
        </div>
      )}
      {fieldNames.map((name) => (
        <Fragment key={name}>{inputs[name] ?? <Input {...field(name)} />}</Fragment>
      ))}
      <Honeypot label={words.trapLabel} />
      <input type="hidden" name="consent" value={words.consent.version} />
      {/* save-draft.ts sets it. It is not type="hidden", because browsers do not restore those after Back. */}
      <input hidden name="idempotencyKey" />
      <button type="submit" disabled={submitting} className="button large">
        {submitting ? words.submitting : words.submit}
      </button>
      <p className="no-obligation">{words.noObligation}</p>
      <div
        role="status"
        className="notes"
        data-room={`${receivedText} ${phone}`}
        data-busy={submitting}
      >
        {outcome === 'received' && (
          <CallNote phone={phone} outcome="received">
            {receivedText}
          </CallNote>
        )}
        {outcome === 'failed' && <CallNote phone={phone}>{words.notes.failed}</CallNote>}
        {(waiting || slow) && (
          <CallNote phone={phone}>{waiting ? words.notes.waiting : words.notes.slow}</CallNote>
        )}
      </div>
      <p className="consent">
        {words.consent.text}
        {privacyPolicy && <a href={privacyPolicy.url}>{privacyPolicy.label}</a>}
      </p>
    </form>
  )
}

type InputProps = ComponentProps<'input'> & {
  name: LeadField
  label: ReactNode
  error: string | undefined
  announced: boolean
}

function Input({ name, label, error, announced, children, ...attributes }: InputProps) {
  const { required, multiline }: Field = leadFields[name]
  // A textarea has the same attributes.
  const Element = (multiline ? 'textarea' : 'input') as 'input'
  return (
    <div className="field">
      {label}
      <Element
        id={name}
        name={name}
        required={required}
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

type LabelProps = { name: LeadField; words: FormContent['words'] }

const Label = ({ name, words }: LabelProps) => (
  <label htmlFor={name}>
    {words.labels[name]}
    {!leadFields[name].required && <span> {words.optional}</span>}
  </label>
)

type CallNoteProps = { phone: string; children: string; outcome?: 'received' }

const CallNote = ({ phone, children, outcome }: CallNoteProps) => (
  <p className="form-note" data-outcome={outcome}>
    {children} <a href={formatCallHref(phone)}>{phone}</a>
  </p>
)

/** Bots fill in every field. People do not see this one, and password managers ignore it. */
const Honeypot = ({ label }: { label: string }) => (
  <div className="unseen" aria-hidden="true">
    <label htmlFor={trapField}>{label}</label>
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
