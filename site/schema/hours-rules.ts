import * as v from 'valibot'
import {
  type BusinessHours,
  computeOpeningWithinYear,
  isTimeZone,
  readSpan,
  weekdays,
} from '#leads/hours.ts'
import { choice, fact, group, listOf } from './rules.ts'

const time = '([01]?\\d|2[0-3]):[0-5]\\d'
const pattern = new RegExp(`^${time}-(${time}|24:00)$`)
function closesLater(input: string): boolean {
  const [from, to] = readSpan(input)
  return from < to
}

const areInOrder = (spans: string[]) =>
  spans.every((span, at) => at === 0 || readSpan(span)[0] > readSpan(spans[at - 1] ?? '')[1])

const span = v.pipe(
  fact,
  v.check(
    (input) => pattern.test(input) && closesLater(input),
    ({ input }) =>
      `must be an opening time and a later closing time, such as '7:00-18:00', not '${input}'. To stay open past midnight, split the hours at 24:00.`,
  ),
)

/** Explains the same rule on the desk, where the owner picks times with AM and PM. */
export const explainSpan = (input: unknown): string =>
  pattern.test(String(input))
    ? 'must end later than they start. If you’re open past midnight, close at 12:00 AM and open the next day at 12:00 AM.'
    : 'need an opening time and a closing time.'

/** Accepts 2026-12-25 and 12-25, but not 2026-02-30. */
function isDate(input: string): boolean {
  // Use a leap year, because a yearly holiday may be on February 29.
  const date = /^\d\d-\d\d$/.test(input) ? `2028-${input}` : input
  const at = Date.parse(date)
  return /^\d{4}-\d\d-\d\d$/.test(date) && new Date(at || 0).toISOString().startsWith(date)
}

const day = v.exactOptional(
  v.pipe(
    listOf(span),
    v.check(areInOrder, 'must be in order, with a break between them. Sort or merge the hours.'),
  ),
)

const minutesRule = 'must be a whole number of minutes from 5 to 240, such as 10.'

export const hoursRules = v.pipe(
  group({
    timeZone: v.pipe(
      fact,
      v.check(
        isTimeZone,
        ({ input }) => `is '${input}', but must be a time zone, such as 'America/Chicago'.`,
      ),
    ),
    open: v.lazy(
      (input): v.GenericSchema<unknown, BusinessHours['open']> =>
        typeof input === 'string'
          ? v.literal(
              'always',
              `is '${input}', but must be 'always', or a group of days such as { Mon: ['7:00-18:00'] }.`,
            )
          : group(v.entriesFromList(weekdays, day)),
    ),
    closedDates: listOf(
      v.pipe(
        fact,
        v.check(
          isDate,
          ({ input }) =>
            `is '${input}', but must be a date that exists, such as '2026-12-25', or '12-25' for every year.`,
        ),
      ),
    ),
    emergencies: choice('always', 'when open'),
    promiseMinutes: v.pipe(
      v.number(minutesRule),
      v.integer(minutesRule),
      v.minValue(5, minutesRule),
      v.maxValue(240, minutesRule),
    ),
  }),
  v.check(
    (hours) => computeOpeningWithinYear(Date.now(), hours) !== undefined,
    'leave the company closed for a year. Add hours, or delete holidays.',
  ),
)
