import * as v from 'valibot'

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

const optional = <Schema extends v.GenericSchema<string, unknown>>(schema: Schema) =>
  v.optional(schema)

const text = v.string()

const variables = v.object({
  PORT: v.optional(wholeNumber(0, 65_535, 'must be a port: a whole number up to 65535'), '3000'),
  HOST: v.optional(text, '0.0.0.0'),
  DATA_DIR: v.optional(text, './data'),
  DATABASE_URL: optional(postgresUrl()),
  SUPABASE_DB_URL: optional(postgresUrl()),
  SUPABASE_ANON_KEY: optional(text),
  SUPABASE_PUBLISHABLE_KEYS: optional(publishableKeys()),
  AIRTABLE_TOKEN: optional(text),
  AIRTABLE_BASE_ID: optional(text),
  AIRTABLE_TABLE: v.optional(text, 'Leads'),
  AIRTABLE_API_URL: v.optional(
    url(web, 'must be a web address such as https://api.airtable.com'),
    'https://api.airtable.com',
  ),
  SMTP_URL: optional(
    url(['smtp:', 'smtps:'], 'must look like smtps://user:password@mail.example.com:465'),
  ),
  ALERT_EMAIL_FROM: optional(text),
  ALERT_EMAIL_TO: optional(list),
  ALERT_WEBHOOK_URL: optional(url(web, 'must be a web address')),
  ALERT_WEBHOOK_SECRET: optional(text),
  TWILIO_ACCOUNT_SID: optional(text),
  TWILIO_AUTH_TOKEN: optional(text),
  TWILIO_FROM: optional(text),
  TWILIO_API_URL: v.optional(url(web, 'must be a web address'), 'https://api.twilio.com'),
  ALERT_SMS_TO: optional(list),
  ESCALATE_AFTER_MINUTES: v.optional(
    v.pipe(
      list,
      v.transform((items) => items.map(Number)),
      v.check(
        (items) => items.every((minutes) => minutes > 0 && minutes <= 1440),
        'must be minutes separated by commas, such as 4,8',
      ),
    ),
    '4,8',
  ),
  ESCALATION_EMAIL_TO: optional(list),
  ESCALATION_SMS_TO: optional(list),
  PUBLIC_URL: optional(url(web, 'must be the site’s web address, such as https://www.example.com')),
  LINK_SECRET: optional(text),
  ALLOWED_ORIGINS: v.optional(origins, ''),
  RATE_LIMIT_PER_MINUTE: v.optional(
    wholeNumber(0, 1_000_000, 'must be a whole number; 0 means no limit'),
    '10',
  ),
  TRUSTED_PROXIES: optional(wholeNumber(0, 10, 'must be a whole number from 0 to 10')),
})

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

/** Reads the environment once. Throws one message that names every variable to mend. */
export function readEnv(given: Record<string, string | undefined>) {
  const set = Object.entries(given).filter(([, value]) => value?.trim())
  const parsed = v.safeParse(
    variables,
    Object.fromEntries(set.map(([name, value]) => [name, value?.trim()])),
  )
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => `  ${v.getDotPath(issue)} ${issue.message}`)
    throw new Error(`Please mend these environment variables:\n${faults.join('\n')}`)
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
  const alertsComplete = [
    ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO'] as const,
    ['ALERT_WEBHOOK_URL'] as const,
    ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'ALERT_SMS_TO'] as const,
  ].some((names) => missing(...names).length === 0)

  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    anonKeys: keys.length > 0 ? keys : ['public-anon-key'],
    airtable: token && baseId ? { token, baseId, table, apiUrl } : undefined,
    smtpUrl: env.SMTP_URL,
    alertEmailFrom: env.ALERT_EMAIL_FROM,
    alertEmailTo: env.ALERT_EMAIL_TO ?? [],
    alertWebhookUrl: env.ALERT_WEBHOOK_URL,
    alertWebhookSecret: env.ALERT_WEBHOOK_SECRET,
    twilioAccountSid: env.TWILIO_ACCOUNT_SID,
    twilioAuthToken: env.TWILIO_AUTH_TOKEN,
    twilioFrom: env.TWILIO_FROM,
    twilioApiUrl: env.TWILIO_API_URL,
    alertSmsTo: env.ALERT_SMS_TO ?? [],
    escalateAfterMinutes: env.ESCALATE_AFTER_MINUTES,
    escalationEmailTo: env.ESCALATION_EMAIL_TO ?? env.ALERT_EMAIL_TO ?? [],
    escalationSmsTo: env.ESCALATION_SMS_TO ?? env.ALERT_SMS_TO ?? [],
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
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
      ...(alertsComplete
        ? []
        : [
            'No alert is set up (SMTP_URL with ALERT_EMAIL_FROM and ALERT_EMAIL_TO, ALERT_WEBHOOK_URL, or TWILIO_… with ALERT_SMS_TO): nobody is told of a new lead.',
          ]),
    ],
  }
}
