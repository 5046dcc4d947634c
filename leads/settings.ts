import * as v from 'valibot'
import { UserError } from './user-error.ts'

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
)

const wholeNumber = (min: number, max: number, what: string) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, what),
    v.transform(Number),
    v.minValue(min, what),
    v.maxValue(max, what),
  )

const url = (protocols: readonly string[], what: string) =>
  v.pipe(
    v.string(),
    v.check((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), what),
  )

const web = ['http:', 'https:']

// An origin is what a browser sends: scheme, host, port, and no path.
const origins = v.pipe(
  list,
  v.transform((items) => items.map((item) => item.replace(/\/+$/, ''))),
  v.check(
    (items) => items.every((item) => URL.canParse(item) && new URL(item).origin === item),
    'must be origins such as https://www.example.com, separated by commas',
  ),
)

const text = v.string()

const variables = v.object({
  PORT: v.optional(wholeNumber(0, 65_535, 'must be a port: a whole number up to 65535'), '3000'),
  HOST: v.optional(text, '0.0.0.0'),
  DATA_DIR: v.optional(text, './data'),
  DATABASE_URL: v.optional(postgresUrl()),
  SUPABASE_DB_URL: v.optional(postgresUrl()),
  SUPABASE_ANON_KEY: v.optional(text),
  SUPABASE_PUBLISHABLE_KEYS: v.optional(publishableKeys()),
  AIRTABLE_TOKEN: v.optional(text),
  AIRTABLE_BASE_ID: v.optional(text),
  AIRTABLE_TABLE: v.optional(text, 'Leads'),
  AIRTABLE_API_URL: v.optional(
    url(web, 'must be a web address such as https://api.airtable.com'),
    'https://api.airtable.com',
  ),
  SMTP_URL: v.optional(
    url(
      ['smtp:', 'smtps:'],
      'must look like smtps://user:password@mail.example.com:465; in the password write # / ? as %23 %2F %3F',
    ),
  ),
  ALERT_EMAIL_FROM: v.optional(text),
  ALERT_EMAIL_TO: v.optional(addresses()),
  ALERT_WEBHOOK_URL: v.optional(url(web, 'must be a web address')),
  ALERT_WEBHOOK_SECRET: v.optional(
    v.pipe(
      text,
      v.regex(
        /^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/,
        'must be base64 behind whsec_, as the Standard Webhooks scheme has it',
      ),
    ),
  ),
  TWILIO_ACCOUNT_SID: v.optional(text),
  TWILIO_AUTH_TOKEN: v.optional(text),
  TWILIO_FROM: v.optional(text),
  TWILIO_API_URL: v.optional(url(web, 'must be a web address'), 'https://api.twilio.com'),
  ALERT_SMS_TO: v.optional(phoneNumbers()),
  ESCALATE_AFTER_MINUTES: v.optional(
    v.pipe(
      list,
      v.transform((items) => [...new Set(items.map(Number))].sort((a, b) => a - b)),
      v.check(
        // From the tenth minute on the promise is missed, which staff hear anyway.
        (items) => items.every((minutes) => minutes > 0 && minutes < 10),
        'must be minutes below 10, separated by commas, such as 4,8',
      ),
    ),
    '4,8',
  ),
  ESCALATION_EMAIL_TO: v.optional(addresses()),
  ESCALATION_SMS_TO: v.optional(phoneNumbers()),
  TIME_ZONE: v.optional(
    v.pipe(text, v.check(isTimeZone, 'must be a time zone such as America/Chicago')),
  ),
  PUBLIC_URL: v.optional(
    v.pipe(
      url(web, 'must be the site’s web address, such as https://www.example.com'),
      // It is in every alert and in the page itself.
      v.check((text) => !hasUserInfo(text), 'must hold no user name and no password: it is public'),
    ),
  ),
  LINK_SECRET: v.optional(
    v.pipe(text, v.minLength(16, 'must be at least 16 characters that nobody can guess')),
  ),
  ALLOWED_ORIGINS: v.optional(origins, ''),
  RATE_LIMIT_PER_MINUTE: v.optional(
    wholeNumber(0, 1_000_000, 'must be a whole number; 0 means no limit'),
    '10',
  ),
  TRUSTED_PROXIES: v.optional(wholeNumber(0, 10, 'must be a whole number from 0 to 10')),
})

function addresses() {
  return v.pipe(
    list,
    v.check(
      (items) => items.every((item) => /^[^\s@<>"]+@[^\s@<>"]+$/.test(item)),
      'must be e-mail addresses, separated by commas',
    ),
  )
}

function phoneNumbers() {
  return v.pipe(
    list,
    v.transform((items) => items.map((item) => item.replace(/[\s().-]/g, ''))),
    v.check(
      (items) => items.every((item) => /^\+[1-9]\d{6,14}$/.test(item)),
      'must be phone numbers such as +15551234567, separated by commas',
    ),
  )
}

function hasUserInfo(text: string): boolean {
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

function postgresUrl() {
  return url(['postgres:', 'postgresql:'], 'must look like postgres://user:password@host:5432/name')
}

// Supabase hands its functions a JSON dictionary of the project's publishable keys.
function publishableKeys() {
  return v.pipe(
    v.string(),
    v.transform((text): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    }),
    v.record(v.string(), v.string(), 'must be a JSON object of keys, as Supabase sets it'),
    v.transform((keys) => Object.values(keys)),
  )
}

export type Env = ReturnType<typeof readEnv>

/** Nothing but blanks and commas is an empty list, and an empty list names nobody. */
export const isSet = (value: string | undefined): value is string => /[^\s,]/.test(value ?? '')

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

  const missing = (...names: (keyof typeof env)[]) => names.filter((name) => !env[name])
  const keys = [env.SUPABASE_ANON_KEY ?? [], env.SUPABASE_PUBLISHABLE_KEYS ?? []].flat()
  const {
    AIRTABLE_TOKEN: token,
    AIRTABLE_BASE_ID: baseId,
    AIRTABLE_TABLE: table,
    AIRTABLE_API_URL: apiUrl,
  } = env
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '')
  // Supabase turns pages into plain text unless the project has a domain of its own.
  const onSupabase = env.SUPABASE_DB_URL !== undefined
  const showsPages =
    !onSupabase ||
    (env.PUBLIC_URL !== undefined && !new URL(publicUrl).hostname.endsWith('.supabase.co'))
  const answerPath = onSupabase ? '/functions/v1/submit-to-airtable/answer' : '/answer'

  const alertVariables = {
    'e-mail': ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO'],
    webhook: ['ALERT_WEBHOOK_URL'],
    'text message': ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'ALERT_SMS_TO'],
  } as const
  const alerts = Object.entries(alertVariables).map(([kind, names]) => {
    const lacking = missing(...names)
    return { kind, lacking, isWhole: lacking.length === 0, isBegun: lacking.length < names.length }
  })
  const hasAlerts = alerts.some(({ isWhole }) => isWhole)

  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    anonKeys: keys.length > 0 ? keys : ['public-anon-key'],
    airtable: token && baseId ? { token, baseId, table, apiUrl } : undefined,
    email:
      env.SMTP_URL && env.ALERT_EMAIL_FROM && env.ALERT_EMAIL_TO
        ? {
            smtpUrl: env.SMTP_URL,
            from: env.ALERT_EMAIL_FROM,
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
            apiUrl: env.TWILIO_API_URL,
            to: env.ALERT_SMS_TO,
            escalationTo: env.ESCALATION_SMS_TO ?? env.ALERT_SMS_TO,
          }
        : undefined,
    escalateAfterMinutes: env.ESCALATE_AFTER_MINUTES,
    timeZone: env.TIME_ZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    publicUrl,
    /** Where the "I am calling" links lead; none where no page can be shown. */
    answerUrl: showsPages ? publicUrl + answerPath : undefined,
    linkSecret: env.LINK_SECRET,
    allowedOrigins: env.ALLOWED_ORIGINS,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    trustedProxies: env.TRUSTED_PROXIES,
    /** What the owner still has to set up, in plain sentences. */
    notSetUp: [
      ...(token && baseId
        ? []
        : [
            `Airtable is not set up (${missing('AIRTABLE_TOKEN', 'AIRTABLE_BASE_ID').join(' and ')} missing): leads are stored and wait.`,
          ]),
      ...(hasAlerts
        ? []
        : [
            'No alert is set up (SMTP_URL with ALERT_EMAIL_FROM and ALERT_EMAIL_TO, ALERT_WEBHOOK_URL, or TWILIO_… with ALERT_SMS_TO): nobody is told of a new lead.',
          ]),
      ...alerts.flatMap(({ kind, lacking, isWhole, isBegun }) =>
        isBegun && !isWhole
          ? [`Alerts by ${kind} are half set up (${lacking.join(' and ')} missing): none is sent.`]
          : [],
      ),
      ...(hasAlerts && !onSupabase && env.PUBLIC_URL === undefined
        ? [`PUBLIC_URL is not set: links in alerts lead to ${publicUrl}, which no phone can open.`]
        : []),
      ...(hasAlerts && !showsPages
        ? [
            'Alerts carry no "I am calling" link: Supabase shows pages only under a domain of your own (PUBLIC_URL). Staff set Status in Airtable instead.',
          ]
        : []),
    ],
  }
}
