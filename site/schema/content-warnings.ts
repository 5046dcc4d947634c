import { serviceTypes } from '#leads/fields.ts'
import { type BusinessHours, getClock } from '#leads/hours.ts'
import { listTexts } from './entry-path.ts'

/** The content has its placeholders filled in. */
type Warned = { hours: BusinessHours; form: object }

/** `paths` lists the entries to change. */
export type ContentWarning = { id: string; text: string; next: string; paths: string[] }

/** Finds valid content that is probably a mistake. The build, `npm run doctor`, and the desk show these warnings. */
export function* findContentWarnings(
  content: Warned,
  now: number,
  services: object = serviceTypes,
): Generator<ContentWarning> {
  const { hours } = content
  const today = getClock(hours.timeZone).format(now).slice(0, 10)
  const past = hours.closedDates.filter((date) => /^\d{4}/.test(date) && date < today)
  const isOne = past.length === 1
  if (past.length > 0)
    yield {
      id: 'past-dates',
      text: `${isOne ? 'A holiday has' : 'Some holidays have'} passed: ${past.map(formatDate).join('; ')}.`,
      next: `Delete ${isOne ? 'it' : 'them'}, or correct the year`,
      paths: ['hours.closedDates'],
    }
  const broken = listBrokenPromises(content)
  if (broken.length > 0)
    yield {
      id: 'wording-beyond-hours',
      text: `You’re not always open, but these entries say 24/7, day or night, or ${hours.promiseMinutes} minutes: ${broken.join(', ')}.`,
      next: 'Change these entries',
      paths: broken,
    }
  if (!('emergency' in services))
    yield {
      id: 'no-emergencies',
      text: 'The form has no emergency choice, so the desk can’t list emergencies first, and phones get no alerts while you’re closed.',
      next: "If you take emergencies, add emergency: 'Emergency Service' to serviceTypes in leads/fields.ts. You can change its label",
      paths: [],
    }
}

/** Example: “Dec 25, 2026”. */
const formatDate = (date: string) =>
  new Date(date).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** The entries that the page replaces if the company is not always open. */
const replacedTexts =
  /^(header\.callLabel|footer\.(callHeading|alwaysOpen)|head\.(title|description|shareLines)|emergency\.notUrgent)\b/

/**
 * Lists the entries that promise more than the hours allow, such as about.text. Skips the form, because its text
 * changes with the hours.
 */
function listBrokenPromises(content: Warned): string[] {
  const { hours, form, ...others } = content
  if (hours.open === 'always') return []
  const isOnCall = hours.emergencies === 'always'
  const minutes = new RegExp(`\\b${hours.promiseMinutes} minutes`, 'i')
  return listTexts(others)
    .filter(
      ({ path, text }) =>
        (/24\/7|day or night/i.test(text) && !(isOnCall && /^emergency\./.test(path))) ||
        (minutes.test(text) && !/\.limitedHours\./.test(path)),
    )
    .map(({ path }) => path)
    .filter((path) => !replacedTexts.test(path))
}
