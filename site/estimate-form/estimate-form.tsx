import { type ComponentProps, Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { type Field, fieldNames, type LeadField, leadFields } from '#leads/fields.ts'
import { phonePattern, trapField } from '#leads/lead.ts'
import { suggestEmail } from '#leads/suggest-email.ts'
import { formatCallHref } from '../sections/call-href.ts'
import { AddressSuggestions } from './address/suggestions.tsx'
import { fillInput, findField } from './field-input.ts'
import type { FormContent } from './form-content.ts'
import { formatNameField, formatPhoneField } from './format-fields.ts'
import { findErrors, preloadSubmitCode, useSubmit } from './use-submit.ts'

const functionPath = '/functions/v1/submit-to-airtable'

/** The estimate request form. Its fields are uncontrolled, so that hydration keeps what the visitor has typed. */
export function EstimateForm({ content }: { content: FormContent }) {
  const { phone, hours, words, closed } = content
  const { privacyPolicy } = words.consent
  const form = useRef<HTMLFormElement>(null)
  const email = useRef<HTMLInputElement>(null)
  const address = useRef<HTMLInputElement>(null)
  const [suggestedEmail, setSuggestedEmail] = useState<string>()
  const suggestionTimer = useRef(0)
  const { handleSubmit, submitting, slow, waiting, errors, clearError, failed } = useSubmit(content)

  useEffect(() => {
    if (!form.current) return
    // React handles submits now, and a toast reports missing fields.
    form.current.noValidate = true
    // Format text typed before hydration, except in the focused field, where an input method may be composing.
    for (const [name, format] of [
      ['name', formatNameField],
      ['phone', formatPhoneField],
    ] as const) {
      const field = findField(form.current, name)
      if (field && field !== document.activeElement) format(field)
    }
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
    // Changes made during a request would be lost, but changes made while offline are sent later.
    readOnly: submitting && !waiting,
    // Make screen readers announce the first error immediately. They read the others with their fields.
    announced: Object.keys(errors)[0] === name,
    onInput: () => clearError(name),
  })

  /** The fields that need special inputs. All others are plain text or have choices. */
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
          // Changing the text during composition would interrupt input methods and most Android keyboards.
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
        // Browsers check the pattern before hydration, or without scripts. It accepts any text with a non-ASCII
        // character, because the server also reads full-width digits.
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
      <>
        <Input {...field('serviceType')} />
        {closed && hours.emergencies === 'always' && (
          <p className="field-hint">
            {closed.emergency}&nbsp;<a href={formatCallHref(phone)}>{phone}</a>
          </p>
        )}
      </>
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
      {/* The inline script updates the text (show-hours.ts). */}
      {closed ? (
        <h2
          id="estimate-heading"
          suppressHydrationWarning
          data-open={breakLine(words.heading)}
          data-closed={breakLine(closed.heading)}
        >
          {breakLine(closed.headingAnytime)}
        </h2>
      ) : (
        <h2 id="estimate-heading">{breakLine(words.heading)}</h2>
      )}
      {fieldNames.map((name) => (
        <Fragment key={name}>{inputs[name] ?? <Input {...field(name)} />}</Fragment>
      ))}
      <Honeypot label={words.trapLabel} />
      <input type="hidden" name="consent" value={words.consent.version} />
      {/* save-draft.ts sets the key. Do not use type="hidden", which Chromium does not restore after Back. */}
      <input hidden name="idempotencyKey" />
      <button type="submit" disabled={submitting} className="button large">
        {submitting ? words.submitting : words.submit}
      </button>
      <div className="below-button">
        <p className="no-obligation">{breakLine(words.noObligation)}</p>
        <div role="status">
          {failed && (
            <CallNote phone={phone} kind="failed">
              {words.notes.failed}
            </CallNote>
          )}
          {(waiting || slow) && (
            <CallNote phone={phone}>{waiting ? words.notes.waiting : words.notes.slow}</CallNote>
          )}
        </div>
      </div>
      <p className="consent">
        {words.consent.text}
        {privacyPolicy && <a href={privacyPolicy.url}>{privacyPolicy.label}</a>}
      </p>
    </form>
  )
}

const missing = findErrors({})
const wrong = findErrors({ email: '?', phone: '?' })

type InputProps = ComponentProps<'input'> & {
  name: LeadField
  label: ReactNode
  error: string | undefined
  announced: boolean
}

function Input(props: InputProps) {
  const { name, label, error, announced, placeholder, children, ...attributes } = props
  const { required, multiline, choices }: Field = leadFields[name]
  // The cast is safe, because all three elements take the same attributes.
  const Element = (choices ? 'select' : multiline ? 'textarea' : 'input') as 'input'
  return (
    <div className="field">
      {label}
      <Element
        id={name}
        name={name}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${name}-error`}
        required={required}
        {...(choices ? listOptions(choices, placeholder) : { placeholder })}
        {...attributes}
      />
      {children}
      <p
        id={`${name}-error`}
        role={announced ? 'alert' : undefined}
        className="field-error"
        // The inline script shows these before React is ready.
        data-missing={missing[name]?.[0]}
        data-wrong={wrong[name]?.[0]}
        suppressHydrationWarning
      >
        {error ?? ''}
      </p>
    </div>
  )
}

const listOptions = (choices: Readonly<Record<string, string>>, placeholder = '') => ({
  defaultValue: '',
  children: Object.entries({ '': placeholder, ...choices }).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  )),
})

/** Puts the first sentence on a separate line, and keeps a number on the same line as its unit. */
export const breakLine = (text: string) => text.replace('. ', '.\n').replace(/(\d) /, '$1\xa0')

type LabelProps = { name: LeadField; words: FormContent['words'] }

const Label = ({ name, words }: LabelProps) => (
  <label htmlFor={name}>
    {words.labels[name]}
    {!leadFields[name].required && <span>{` ${words.optional}`}</span>}
  </label>
)

/** Scrolls to a note, because on a phone it may be below the visible part of the page. */
const scrollToNote = (note: Element | null) => note?.scrollIntoView({ block: 'nearest' })

type CallNoteProps = {
  phone: string
  children: string
  kind?: 'failed'
}

const CallNote = ({ phone, children, kind }: CallNoteProps) => (
  <p className="form-note" data-kind={kind} ref={scrollToNote}>
    {children} <a href={formatCallHref(phone)}>{phone}</a>
  </p>
)

/** A field that only bots fill in. People do not see it, and password managers ignore it. */
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
