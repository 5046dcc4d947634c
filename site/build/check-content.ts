import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { fieldNames } from '#leads/fields.ts'
import { UserError } from '#leads/user-error.ts'
import { publicAddress } from '#leads/variables.ts'
import { findContentWarnings } from './content-warnings.ts'
import { hoursRules } from './hours-rules.ts'
import { anyText, choice, group, listOf, mustMatch, text, wording } from './rules.ts'

/*
 * Rules for the two files that the owner edits. Each message continues a sentence that starts with the
 * entry's name: "company.since must be …".
 */

const phone = mustMatch(
  /^(\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]*[2-9]\d{2}[ .-]*\d{4}$/,
  (input) => `must be a US phone number, such as '(612) 234-7810'. ${explainPhone(input)}`,
)
function explainPhone(input: string): string {
  const digits = input.replace(/\D/g, '').replace(/^1/, '')
  if (digits.length !== 10) return `Use ten digits. This number has ${digits.length}.`
  if (/^[01]|^...[01]/.test(digits)) return 'The first and fourth digits cannot be 0 or 1.'
  return 'Use only digits, spaces, parentheses, dots, and hyphens.'
}
const url = mustMatch(/^https:\/\/[\w-]+(\.[\w-]+)+([/?#]\S*)?$/, () => 'must start with https://.')
const year = v.pipe(
  v.number('must be a year without quotes, such as 1998.'),
  v.integer('must be a year, such as 1998.'),
)
const sample = v.exactOptional(v.literal(true, 'must be true. Otherwise, delete it.'))
const texts = <const Names extends string[]>(...names: Names) =>
  group(v.entriesFromList(names, text))
const withTime = mustMatch(/\{time\}/, () => 'must contain {time}.')
const timeWording = wording<(time: string) => string>()

const review = group({
  name: text,
  text,
  ...v.entriesFromList(['job', 'town', 'month', 'source'], v.exactOptional(text)),
  sample,
})

const contentRules = group({
  hours: hoursRules,
  company: group({
    sample,
    name: v.pipe(text, v.maxLength(60, 'is longer than 60 characters. Shorten it.')),
    phone,
    since: year,
    region: mustMatch(/^[A-Z]{2}$/, () => "must be a country code, such as 'US'."),
    areaLabel: text,
    areaServed: v.pipe(listOf(text), v.minLength(1, 'is empty. Add a town.')),
    address: v.exactOptional(
      group({
        street: text,
        city: text,
        state: mustMatch(/^[A-Z]{2}$/, () => "must be two letters, such as 'MN'."),
        zip: mustMatch(/^\d{5}(-\d{4})?$/, () => "must be a ZIP code, such as '55401'."),
      }),
    ),
    license: v.exactOptional(text),
    email: v.exactOptional(
      v.pipe(
        text,
        v.email(({ input }) => `is '${input}', but must be an email address.`),
      ),
    ),
    social: v.exactOptional(listOf(group({ name: text, url }))),
  }),
  head: group({
    title: text,
    description: text,
    notFoundTitle: text,
    pictureAlt: text,
    shareLines: v.pipe(
      listOf(text),
      v.maxLength(3, 'can have at most three lines. Delete the others.'),
    ),
  }),
  header: group({
    ...v.entriesFromList(['callLabel', 'estimate', 'estimateShort', 'skipLink'], text),
    limitedHours: group({ anytime: text, open: withTime, closed: withTime, emergency: text }),
  }),
  hero: group({
    sample,
    headline: text,
    lead: text,
    statistics: listOf(group({ value: text, label: text })),
  }),
  form: group({
    heading: text,
    labels: texts(...fieldNames),
    optional: text,
    placeholders: texts(...fieldNames),
    suggestions: group({
      label: text,
      found: wording<(count: number) => string>(),
      chosen: wording<(address: string) => string>(),
      source: text,
    }),
    submit: text,
    submitting: text,
    noObligation: text,
    toasts: texts('incomplete', 'failed', 'received'),
    notes: group({
      failed: text,
      failedPlain: text,
      incompletePlain: text,
      refusedPlain: wording<(field: string) => string>(),
      received: text,
      callBy: timeWording,
      questions: text,
      slow: text,
      offline: text,
      waiting: text,
    }),
    closed: group({
      heading: timeWording,
      toast: timeWording,
      note: timeWording,
      headingAnytime: text,
      noteAnytime: text,
      emergency: text,
    }),
    emailHint: text,
    phoneRule: text,
    trapLabel: text,
    consent: group({
      version: text,
      text,
      privacyPolicy: v.exactOptional(group({ label: text, url })),
    }),
  }),
  about: group({
    sample,
    heading: text,
    text,
    points: listOf(group({ sample, icon: choice('home', 'shield', 'check'), title: text, text })),
    pictureAlt: text,
    award: v.exactOptional(group({ title: text, by: text, year: text, sample })),
  }),
  emergency: group({
    sample,
    heading: text,
    text,
    claim: anyText,
    notUrgent: anyText,
    callLabel: text,
  }),
  services: group({
    sample,
    heading: text,
    cards: v.pipe(
      listOf(
        group({
          icon: choice('roof', 'hammer', 'inspect'),
          picture: v.exactOptional(
            mustMatch(/^[a-z0-9-]+$/, () => "must be a name such as 'repairs'."),
          ),
          title: text,
          text,
        }),
      ),
      v.minLength(3, 'must have at least three cards. Add more.'),
    ),
  }),
  testimonials: group({
    heading: text,
    pauseLabel: text,
    playLabel: text,
    rowLabel: text,
    ratingLabel: text,
    allReviews: v.exactOptional(group({ label: text, url })),
    rows: listOf(listOf(review)),
  }),
  footer: texts('tagline', 'quickLinks', 'estimate', 'callHeading', 'rights'),
  notFound: texts('heading', 'text', 'home'),
})

const color = mustMatch(/^#[0-9a-f]{6}$/i, () => "must be a color such as '#1b2326'.")

const brandRules = group({
  brand: group({
    colors: group({ ink: color, paper: color, accent: color }),
    corners: choice('square', 'soft', 'round'),
    emergencyPicture: v.exactOptional(choice('night', 'none')),
    headingFont: v.exactOptional(
      group({
        family: text,
        file: mustMatch(/^[\w.-]+\.woff2$/, () => 'must be a .woff2 file in site/brand/.'),
      }),
    ),
  }),
})

export type Content = v.InferOutput<typeof contentRules>
export type Brand = v.InferOutput<typeof brandRules>['brand']

const checkout = fileURLToPath(new URL('../..', import.meta.url))

export const readContent = (root = checkout): Promise<Content> =>
  readFile(root, 'site/content.ts', contentRules)

export const readBrand = async (root = checkout): Promise<Brand> =>
  (await readFile(root, 'site/brand/brand.ts', brandRules)).brand

async function readFile<Rules extends v.GenericSchema>(root: string, path: string, rules: Rules) {
  const file = join(root, path)
  let read: unknown
  try {
    // Node caches modules by URL, but the dev server must reread the file after each change.
    read = await import(`${pathToFileURL(file)}?${statSync(file).mtimeMs}`)
  } catch (error) {
    throw explainUnreadable(path, error as Error)
  }
  return checkFile(path, rules, read)
}

function explainUnreadable(path: string, { message, stack = '' }: Error) {
  const [, line] = stack.match(/\.ts(?:\?[\d.]+)?:(\d+)/) ?? []
  const place = line === undefined ? '' : ` at line ${line}, or just before it`
  return fail(
    `${path} cannot be read${place} (${message.replace(/\.$/, '')}).\nPut each text in quotes '…', write an apostrophe inside it as \\', and end each entry with a comma.`,
  )
}

function checkFile<Rules extends v.GenericSchema>(
  path: string,
  rules: Rules,
  value: unknown,
): v.InferOutput<Rules> {
  // Later rules may rely on earlier ones, such as hours on a valid time zone.
  const { success, issues, output } = v.safeParse(rules, value, { abortPipeEarly: true })
  if (success) return output
  throw fail(
    issues.map((issue) => `${path}: ${formatPath(issue.path)} ${issue.message}`).join('\n'),
  )
}

export const checkContent = (value: unknown) => checkFile('site/content.ts', contentRules, value)

/** testimonials.rows entry 1 entry 2 (Tom Becker).text */
const formatPath = (path: readonly { key: unknown; value: unknown }[] = []) =>
  path
    .map(({ key, value }) => {
      if (typeof key !== 'number') return `.${key}`
      const { name, title = name } = Object(value)
      return ` entry ${key + 1}${typeof title === 'string' && title ? ` (${title})` : ''}`
    })
    .join('')
    .slice(1)

/** Vite prints only the stack, so put the message there. */
function fail(message: string) {
  const error = new UserError(message)
  error.stack = message
  return error
}

/** The page contains this address, so a build without a valid one must fail. */
function checkPublicUrl() {
  for (const file of ['.env.local', '.env']) if (existsSync(file)) process.loadEnvFile(file)
  const { issues } = v.safeParse(publicAddress, process.env.PUBLIC_URL?.trim() || undefined)
  if (issues) throw new UserError(`PUBLIC_URL ${issues[0].message}. Change it in .env.`)
}

if (import.meta.main)
  try {
    const content = await readContent()
    await readBrand()
    checkPublicUrl()
    for (const { text, next } of findContentWarnings(content, Date.now()))
      process.stderr.write(`${text} ${next}.\n`)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
