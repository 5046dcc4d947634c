import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { logo } from '#leads/brand.json'
import { makeMapUrl } from '#leads/field-outputs.ts'
import { hasNavigated } from './route.ts'

/** The page's title, which includes the company's name. */
export const deskTitle = import.meta.env.SSR ? '' : document.title

/** The heading of a screen. It receives focus after navigation, for people who use a keyboard or a screen reader. */
export function Heading({
  children,
  isTarget = true,
}: {
  children: ReactNode
  isTarget?: boolean
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isTarget && hasNavigated()) heading.current?.focus({ preventScroll: true })
  }, [isTarget])
  return (
    <h1 ref={heading} tabIndex={-1} dir="auto">
      {children}
    </h1>
  )
}

export const Button = ({
  isPrimary,
  ...props
}: ComponentProps<'button'> & { isPrimary?: boolean }) => (
  <button type="button" className="button" data-quiet={!isPrimary || undefined} {...props} />
)

export const MailLink = ({ email, ...link }: ComponentProps<'a'> & { email: string }) => (
  <a {...link} href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`} />
)

export const MapLink = ({ address }: { address: string }) =>
  address && (
    <a className="address" href={makeMapUrl(address)} target="_blank" rel="noreferrer" dir="auto">
      {address.split(/(?<=,) /).map((part) => [<span key={part}>{part}</span>, ' '])}
      <span className="unseen">(opens a map)</span>
    </a>
  )

type Choices = readonly (readonly [value: string | number, text: string])[]

export const Choice = ({
  label,
  choices,
  ...field
}: ComponentProps<'select'> & { label: string; choices: Choices }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the Select component contains the control
  <label>
    {label}
    <Select {...field} choices={choices} />
  </label>
)

export const Select = ({ choices, ...field }: ComponentProps<'select'> & { choices: Choices }) => (
  <span className="select">
    <select {...field}>
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </span>
)

export const Mark = () => (
  <svg
    className="mark"
    viewBox={logo.viewBox}
    width="32"
    height="32"
    aria-hidden="true"
    // biome-ignore lint/security/noDangerouslySetInnerHtml: the owner supplies the logo
    dangerouslySetInnerHTML={{ __html: logo.shapes }}
  />
)

const paths = {
  today: 'M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  leads: 'M8.5 6H21M8.5 12H21M8.5 18H21M3.5 6h.01M3.5 12h.01M3.5 18h.01',
  report: 'M4 20V11m5.3 9V5m5.4 15v-6M20 20V8',
  people:
    'M5 7a4 4 0 1 0 8 0 4 4 0 1 0-8 0M3 20v-1a4 4 0 0 1 4-4h4a4 4 0 0 1 4 4v1M16 3.1a4 4 0 0 1 0 7.8M21 20v-1a4 4 0 0 0-3-3.9',
  call: 'M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 6a2 2 0 0 1 2-2Z',
  text: 'M4 5.5h16v11H9.5L5 20.5v-4H4Zm4.5 4h7m-7 3.5h4',
  back: 'M19 12H5m6-6-6 6 6 6',
  page: 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8Zm0 0v5h5M9 13h6m-6 4h4',
  up: 'M12 19V5m-6 6 6-6 6 6',
  down: 'M12 5v14m6-6-6 6-6-6',
  add: 'M12 5v14M5 12h14',
  delete: 'M4 7h16M10 11v6m4-6v6M6 7l1 12a2 2 0 0 0 2 2h6a2 2 0 0 0 2-2l1-12M9 7V4h6v3',
  next: 'm9 6 6 6-6 6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  sent: 'M21 3 10.5 13.5M21 3l-6.5 18-4-7.5L3 9.5Z',
  warning:
    'M12 9v4.5m0 3v.01M10.6 4.3 2.8 17.7A1.6 1.6 0 0 0 4.2 20h15.6a1.6 1.6 0 0 0 1.4-2.3L13.4 4.3a1.6 1.6 0 0 0-2.8 0Z',
  cloud: 'm3 3 18 18M8.6 5.3A7 7 0 0 1 17.5 10a4.5 4.5 0 0 1 3.3 7.3M16 19H7a5 5 0 0 1-1.5-9.7',
}

export const Icon = ({ name }: { name: keyof typeof paths }) => (
  <svg className="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

/** Shows what could not be sent yet. */
export const NotSent = ({ children }: { children: ReactNode }) => (
  <p className="unsent" role="status">
    {children && (
      <>
        <Icon name="cloud" />
        <span>{children}</span>
      </>
    )}
  </p>
)
