import { keepVisible, makeSafe } from './safe-text.ts'

const byPhone = { call: 'call', calling: 'calling', called: 'called', due: 'the call' }
const byEmail = { call: 'email', calling: 'emailing', called: 'emailed', due: 'a reply' }

/** The words for reaching a homeowner. Without a phone number, the crew emails. */
export const chooseWords = ({ phone }: { phone: unknown }) => (phone ? byPhone : byEmail)

/** Returns the first word of a name, to greet the homeowner. */
export const readFirstName = (name: string): string =>
  keepVisible(name) ? (makeSafe(name).trim().split(/\s+/)[0] ?? '') : ''

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Keeps a visitor's text from changing the direction of the sentence around it. */
export const isolate = (text: string): string => `\u2068${text}\u2069`

/** 1 lead, 2 leads; 1 entry, 2 entries. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

/** Ann; Ann and Bob; Ann, Bob, and Cy. */
export const joinWords = (words: readonly string[]): string =>
  new Intl.ListFormat('en-US').format(words)

export const askDeveloper = 'Ask the person who set up this site to fix this.'

/** Removes codes such as (EAUTH 535), and sentences with variables or commands, which are for developers. */
export const keepForOwner = (error: string): string =>
  error
    .replace(/ \([^()]*[A-Z]{4,}[^()]*\)/g, '')
    .split(/(?<=\.) /)
    .filter((sentence) => !/[A-Z]{2,}_[A-Z]|npm run/.test(sentence))
    .join(' ')
