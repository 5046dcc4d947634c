import * as v from 'valibot'

export const anyValue = v.optional(v.string())

export const checked = (isValid: (text: string) => boolean, message: string) =>
  v.optional(v.pipe(v.string(), v.check(isValid, message)))

export const hasProtocol = (text: string, protocols: readonly string[]) =>
  protocols.includes(URL.parse(text)?.protocol ?? '')

export const isWebAddress = (text: string) => hasProtocol(text, ['http:', 'https:'])

export const removeEndSlashes = (url: string) => url.replace(/\/+$/, '')

/** A URL that paths are appended to. */
export const baseAddress = (message: string) =>
  v.optional(v.pipe(v.string(), v.check(isWebAddress, message), v.transform(removeEndSlashes)))

export const publicAddress = v.pipe(
  baseAddress('must start with https://, such as https://www.example.com'),
  v.check(
    (text = '') => !URL.parse(text)?.username && !URL.parse(text)?.password,
    'must not contain a user name or password, because it is public',
  ),
)

export const wholeNumber = (max: number, message: string, min = 0) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, message),
      v.transform(Number),
      v.minValue(min, message),
      v.maxValue(max, message),
    ),
  )

/** Items separated by commas. */
export const list = (
  isValid: (item: string) => boolean,
  message: string,
  normalize = (item: string) => item,
) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',').map((item) => item.trim())),
      // Drop empty items first so that an item that `normalize` makes empty fails the check.
      v.transform((items) => items.filter((item) => item !== '').map(normalize)),
      v.check((items) => items.every(isValid), message),
    ),
  )

/** Requires a dot in the domain, as in every public email address. */
export const isEmail = (text: string) => /^[^\s@<>",]+@[^\s@<>",.]+(\.[^\s@<>",.]+)+$/.test(text)

export const emails = list(
  isEmail,
  'must be email addresses such as sam@example.com, separated by commas',
)

export const phoneNumbers = list(
  (item) => /^\+[1-9]\d{6,14}$/.test(item),
  'must be phone numbers such as +15551234567, separated by commas',
  (item) => item.replace(/[\s().-]/g, ''),
)

/** Spaces and commas alone count as unset. */
export const isSet = (value: string | undefined): value is string => /[^\s,]/.test(value ?? '')
