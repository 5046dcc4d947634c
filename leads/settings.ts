import * as v from 'valibot'
import { UserError } from './user-error.ts'

const text = v.optional(v.string())

const checked = (isRight: (text: string) => boolean, what: string) =>
  v.optional(v.pipe(v.string(), v.check(isRight, what)))

const hasProtocol = (text: string, protocols: readonly string[]) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

const web = (what = 'must be a web address') =>
  checked((text) => hasProtocol(text, ['http:', 'https:']), what)

const postgres = checked(
  (text) => hasProtocol(text, ['postgres:', 'postgresql:']),
  'must look like postgres://user:password@host:5432/name',
)

const wholeNumber = (max: number, what: string) =>
  v.optional(
    v.pipe(v.string(), v.regex(/^\d{1,9}$/, what), v.transform(Number), v.maxValue(max, what)),
  )

/** Items that commas separate. */
const list = (isRight: (item: string) => boolean, what: string, tidy = (item: string) => item) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',').map((item) => item.trim())),
      // Before tidying: what tidies to nothing was typed, and is wrong.
      v.transform((items) => items.filter((item) => item !== '').map(tidy)),
      v.check((items) => items.every(isRight), what),
    ),
  )

const emails = list(
  (item) => /^[^\s@<>"]+@[^\s@<>"]+$/.test(item),
  'must be e-mail addresses, separated by commas',
)

const phoneNumbers = list(
  (item) => /^\+[1-9]\d{6,14}$/.test(item),
  'must be phone numbers such as +15551234567, separated by commas',
  (item) => item.replace(/[\s().-]/g, ''),
)

const keysOfSupabase = 'must be a JSON object of keys, as Supabase sets it'

const variables = v.object({
  PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  HOST: text,
  DATA_DIR: text,
  DATABASE_URL: postgres,
  SUPABASE_DB_URL: postgres,
  SUPABASE_ANON_KEY: text,
  SUPABASE_PUBLISHABLE_KEYS: v.optional(
    v.pipe(
      v.string(),
      v.parseJson(undefined, keysOfSupabase),
      v.record(v.string(), v.string(), keysOfSupabase),
    ),
  ),
  AIRTABLE_TOKEN: text,
  AIRTABLE_BASE_ID: text,
  AIRTABLE_TABLE: text,
  AIRTABLE_API_URL: web('must be a web address such as https://api.airtable.com'),
  SMTP_URL: checked(
    (text) => hasProtocol(text, ['smtp:', 'smtps:']),
    'must look like smtps://user:password@mail.example.com:465; in the password write # / ? as %23 %2F %3F',
  ),
  ALERT_EMAIL_FROM: text,
  ALERT_EMAIL_TO: emails,
  ALERT_WEBHOOK_URL: web(),
  ALERT_WEBHOOK_SECRET: checked(
    (text) => /^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(text),
    'must be base64 behind whsec_, as the Standard Webhooks scheme has it',
  ),
  TWILIO_ACCOUNT_SID: text,
  TWILIO_AUTH_TOKEN: text,
  TWILIO_FROM: text,
  TWILIO_API_URL: web(),
  ALERT_SMS_TO: phoneNumbers,
  ESCALATE_AFTER_MINUTES: list(
    // From the tenth minute on the promise is missed, which staff hear anyway.
    (item) => Number(item) > 0 && Number(item) < 10,
    'must be minutes below 10, separated by commas, such as 4,8',
  ),
  ESCALATION_EMAIL_TO: emails,
  ESCALATION_SMS_TO: phoneNumbers,
  TIME_ZONE: checked(isTimeZone, 'must be a time zone such as America/Chicago'),
  PUBLIC_URL: v.pipe(
    web('must be the site’s web address, such as https://www.example.com'),
    // It is in every alert and in the page itself.
    v.check((text) => !hasUserInfo(text), 'must hold no user name and no password: it is public'),
  ),
  LINK_SECRET: checked(
    (text) => text.length >= 16,
    'must be at least 16 characters that nobody can guess',
  ),
  // An origin is what a browser sends: scheme, host, port, and no path.
  ALLOWED_ORIGINS: list(
    (item) => URL.canParse(item) && new URL(item).origin === item,
    'must be origins such as https://www.example.com, separated by commas',
    (item) => item.replace(/\/+$/, ''),
  ),
  DESK_PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  DESK_HOST: text,
  DESK_URL: web('must be the desk’s own web address, such as https://desk.example.com'),
  DESK_EMAIL_TO: emails,
  PUSH_SERVICES: list(
    (item) => /^[a-z0-9.-]+$/.test(item),
    'must be host names such as push.example.com, separated by commas',
  ),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1_000_000, 'must be a whole number; 0 means no limit'),
  TRUSTED_PROXIES: wholeNumber(10, 'must be a whole number from 0 to 10'),
})

function hasUserInfo(text = ''): boolean {
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username !== '' || password !== ''
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Nothing but blanks and commas is an empty list, and an empty list names nobody. */
export const isSet = (value: string | undefined): value is string => /[^\s,]/.test(value ?? '')

export const noAlert = 'No alert is set up'

export type Env = ReturnType<typeof readEnv>

/** Reads the environment once. Throws one message that names every variable to fix. */
export function readEnv(given: Record<string, string | undefined>) {
  const set = Object.entries(given).filter(([, value]) => isSet(value))
  const parsed = v.safeParse(
    variables,
    Object.fromEntries(set.map(([name, value]) => [name, value?.trim()])),
  )
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => `  ${v.getDotPath(issue)} ${issue.message}`)
    throw new UserError(`Please fix these environment variables:\n${faults.join('\n')}`)
  }
  const env = parsed.output
  const port = env.PORT ?? 3000
  const keys = [env.SUPABASE_ANON_KEY ?? [], Object.values(env.SUPABASE_PUBLISHABLE_KEYS ?? {})]
  const minutes = env.ESCALATE_AFTER_MINUTES ?? ['4', '8']
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
  // Supabase turns pages into plain text unless the project has a domain of its own.
  const onSupabase = env.SUPABASE_DB_URL !== undefined
  const hasDomain = env.PUBLIC_URL && !new URL(publicUrl).hostname.endsWith('.supabase.co')
  const answerPath = onSupabase ? '/functions/v1/submit-to-airtable/answer' : '/answer'

  const smtp =
    env.SMTP_URL && env.ALERT_EMAIL_FROM
      ? { smtpUrl: env.SMTP_URL, from: env.ALERT_EMAIL_FROM }
      : undefined
  const sender = smtp?.from.match(/[^\s<>]+@[^\s<>]+/)?.[0]
  const desk = readDesk()
  const settings = {
    port,
    host: env.HOST ?? '0.0.0.0',
    dataDir: env.DATA_DIR ?? './data',
    databaseUrl: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    anonKeys: keys.flat().length > 0 ? keys.flat() : ['public-anon-key'],
    airtable:
      env.AIRTABLE_TOKEN && env.AIRTABLE_BASE_ID
        ? {
            token: env.AIRTABLE_TOKEN,
            baseId: env.AIRTABLE_BASE_ID,
            table: env.AIRTABLE_TABLE ?? 'Leads',
            apiUrl: env.AIRTABLE_API_URL ?? 'https://api.airtable.com',
          }
        : undefined,
    smtp,
    email:
      smtp && env.ALERT_EMAIL_TO
        ? {
            ...smtp,
            to: env.ALERT_EMAIL_TO,
            escalationTo: env.ESCALATION_EMAIL_TO ?? env.ALERT_EMAIL_TO,
          }
        : undefined,
    webhook: env.ALERT_WEBHOOK_URL
      ? { url: env.ALERT_WEBHOOK_URL, secret: env.ALERT_WEBHOOK_SECRET }
      : undefined,
    sms:
      env.TWILIO_ACCOUNT_SID && env.TWILIO_AUTH_TOKEN && env.TWILIO_FROM && env.ALERT_SMS_TO
        ? {
            accountSid: env.TWILIO_ACCOUNT_SID,
            authToken: env.TWILIO_AUTH_TOKEN,
            from: env.TWILIO_FROM,
            apiUrl: env.TWILIO_API_URL ?? 'https://api.twilio.com',
            to: env.ALERT_SMS_TO,
            escalationTo: env.ESCALATION_SMS_TO ?? env.ALERT_SMS_TO,
          }
        : undefined,
    escalateAfterMinutes: [...new Set(minutes.map(Number))].sort((a, b) => a - b),
    timeZone: env.TIME_ZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    publicUrl,
    /** Where the "I am calling" links lead; none where no page can be shown. */
    answerUrl: !onSupabase || hasDomain ? publicUrl + answerPath : undefined,
    linkSecret: env.LINK_SECRET,
    allowedOrigins: env.ALLOWED_ORIGINS ?? [],
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE ?? 10,
    trustedProxies: env.TRUSTED_PROXIES,
    desk,
    push: {
      deskUrl: desk?.url ?? publicUrl,
      /** By which push services can reach whoever sends. */
      subject: sender ? `mailto:${sender}` : publicUrl,
      services: env.PUSH_SERVICES ?? [],
    },
  }

  /** On a laptop by itself; on a public site once the owner has given it an address of its own. */
  function readDesk() {
    if (publicUrl.startsWith('https:') && !env.DESK_URL && env.DESK_PORT === undefined)
      return undefined
    // A site on any free port has its desk on any other.
    const port = env.DESK_PORT ?? (env.PORT === 0 ? 0 : 3001)
    const mayEnter = [env.DESK_EMAIL_TO, env.ALERT_EMAIL_TO, env.ESCALATION_EMAIL_TO]
    return {
      port,
      host: env.DESK_HOST ?? '127.0.0.1',
      url: (env.DESK_URL ?? `http://localhost:${port}`).replace(/\/+$/, ''),
      mayEnter: mayEnter.flatMap((some) => some ?? []).map((email) => email.toLowerCase()),
    }
  }

  /** What the owner still has to set up, in plain sentences. */
  const notSetUp: string[] = []
  const findMissing = (names: readonly (keyof typeof env)[]) => names.filter((name) => !env[name])
  const hasAlerts = settings.email || settings.webhook || settings.sms
  if (!settings.airtable) {
    const missing = findMissing(['AIRTABLE_TOKEN', 'AIRTABLE_BASE_ID']).join(' and ')
    notSetUp.push(`Airtable is not set up (${missing} missing): leads are stored and wait.`)
  }
  if (!hasAlerts)
    notSetUp.push(
      `${noAlert} (SMTP_URL with ALERT_EMAIL_FROM and ALERT_EMAIL_TO, ALERT_WEBHOOK_URL, or TWILIO_… with ALERT_SMS_TO): nobody is told of a new lead.`,
    )
  for (const [kind, names] of [
    ['e-mail', ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO']],
    ['text message', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'ALERT_SMS_TO']],
  ] as const) {
    const missing = findMissing(names)
    if (missing.length > 0 && missing.length < names.length)
      notSetUp.push(
        `Alerts by ${kind} are half set up (${missing.join(' and ')} missing): none is sent.`,
      )
  }
  if (hasAlerts && !onSupabase && !env.PUBLIC_URL)
    notSetUp.push(
      `PUBLIC_URL is not set: links in alerts lead to ${publicUrl}, which no phone can open.`,
    )
  if (hasAlerts && !settings.answerUrl)
    notSetUp.push(
      'Alerts carry no "I am calling" link: Supabase shows pages only under a domain of your own (PUBLIC_URL). Staff set Status in Airtable instead.',
    )
  return { ...settings, notSetUp }
}
