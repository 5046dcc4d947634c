import { serviceTypes } from '#leads/fields.ts'
import { type BusinessHours, findClock } from '#leads/hours.ts'

type Warning = { id: string; text: string; next: string }

/** Finds valid content that is probably a mistake. The build prints these warnings, and so does doctor. */
export function* findContentWarnings(
  { hours }: { hours: BusinessHours },
  now: number,
  services: object = serviceTypes,
): Generator<Warning> {
  const today = findClock(hours.timeZone).format(now).slice(0, 10)
  const past = hours.closedDates.filter((date) => /^\d{4}/.test(date) && date < today)
  if (past.length > 0)
    yield {
      id: 'past-dates',
      text: `Some dates in hours.closedDates have passed: ${past.join(', ')}.`,
      next: "In site/content.ts, delete them or correct the year. '12-25' means every December 25",
    }
  if (!('emergency' in services))
    yield {
      id: 'no-emergencies',
      text: 'The form has no emergency choice, so the desk cannot list emergencies first, and no lead alerts a phone while you are closed.',
      next: "If you take emergencies, add emergency: 'Emergency Service' to serviceTypes in leads/fields.ts. You can change its label",
    }
}
