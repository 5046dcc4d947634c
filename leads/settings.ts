import * as v from 'valibot'
import { listUnknown } from './unknown-variables.ts'
import { UserError } from './user-error.ts'
import {
  anyValue,
  baseAddress,
  checked,
  emails,
  hasProtocol,
  isSet,
  isWebAddress,
  list,
  phoneNumbers,
  publicAddress,
  removeEndSlashes,
  wholeNumber,
} from './variables.ts'

const postgres = checked(
  (text) => hasProtocol(text, ['postgres:', 'postgresql:']),
  'must look like postgres://user:password@host:5432/name',
)

const supabaseKeysMessage = 'must be a JSON object of keys, as Supabase sets it'

// The longest promise that site/content.ts allows is 240 minutes.
const maxReminderMinutes = 239

export const variables = {
  PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  HOST: anyValue,
  DATA_DIR: anyValue,
  DATABASE_URL: postgres,
  SUPABASE_DB_URL: postgres,
  SUPABASE_ANON_KEY: anyValue,
  SUPABASE_PUBLISHABLE_KEYS: v.optional(
    v.pipe(
      v.string(),
      v.parseJson(undefined, supabaseKeysMessage),
      v.record(v.string(), v.string(), supabaseKeysMessage),
    ),
  ),
  NO_ANSWER_MINUTES: wholeNumber(1_440, 'must be a whole number from 1 to 1440', 1),
  PUBLIC_URL: publicAddress,
  LINK_SECRET: checked((text) => text.length >= 16, 'must be at least 16 random characters'),
  // An origin has a scheme, a host, and perhaps a port, but no path.
  ALLOWED_ORIGINS: list(
    (item) => URL.parse(item)?.origin === item,
    'must be origins such as https://www.example.com, separated by commas',
    removeEndSlashes,
  ),
  DESK_PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  DESK_HOST: anyValue,
  DESK_URL: baseAddress('must be the desk’s web address, such as https://desk.example.com'),
  DESK_EMAIL_TO: emails,
  RATE_LIMIT_PER_MINUTE: wholeNumber(1_000_000, 'must be a whole number; 0 means no limit'),
  TRUSTED_PROXIES: wholeNumber(10, 'must be a whole number from 0 to 10'),
  ESCALATE_AFTER_MINUTES: v.pipe(
    list(
      (item) => Number(item) > 0 && Number(item) <= maxReminderMinutes,
      `must be minutes up to ${maxReminderMinutes}, separated by commas, such as 4,8`,
    ),
    v.check(
      (items = []) => items.every((item, at) => at === 0 || Number(item) > Number(items[at - 1])),
      'must be in ascending order, such as 4,8',
    ),
  ),

  AIRTABLE_TOKEN: anyValue,
  AIRTABLE_BASE_ID: anyValue,
  AIRTABLE_TABLE: anyValue,
  AIRTABLE_API_URL: baseAddress('must be a web address such as https://api.airtable.com'),
  SMTP_URL: checked(
    (text) => hasProtocol(text, ['smtp:', 'smtps:']),
    'must look like smtps://user:password@mail.example.com:465; in the password, write # / ? as %23 %2F %3F',
  ),
  ALERT_EMAIL_FROM: anyValue,
  ALERT_EMAIL_TO: emails,
  ESCALATION_EMAIL_TO: emails,
  CONFIRMATION_EMAIL: v.optional(v.picklist(['on', 'off'], 'must be on or off')),
  TWILIO_ACCOUNT_SID: anyValue,
  TWILIO_AUTH_TOKEN: anyValue,
  TWILIO_FROM: anyValue,
  TWILIO_API_URL: baseAddress('must be a web address'),
  ALERT_SMS_TO: phoneNumbers,
  ESCALATION_SMS_TO: phoneNumbers,
  ALERT_WEBHOOK_URL: checked(isWebAddress, 'must be a web address'),
  ALERT_WEBHOOK_SECRET: checked(
    (text) => /^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(text),
    'must be base64, with or without the prefix whsec_, as in Standard Webhooks',
  ),
  PUSH_SERVICES: list(
    (item) => /^[a-z0-9.-]+$/.test(item),
    'must be host names such as push.example.com, separated by commas',
  ),
}

type Variable = keyof typeof variables

/**
 * Lists which variables belong together, by channel: if one from the first list is set, all from the second are
 * required.
 */
const groups: Record<ChannelKind, [startedBy: Variable[], needed: Variable[]]> = {
  airtable: [
    ['AIRTABLE_TOKEN', 'AIRTABLE_BASE_ID'],
    ['AIRTABLE_TOKEN', 'AIRTABLE_BASE_ID'],
  ],
  email: [
    ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO', 'ESCALATION_EMAIL_TO'],
    ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO'],
  ],
  sms: [
    ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'ALERT_SMS_TO', 'ESCALATION_SMS_TO'],
    ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'ALERT_SMS_TO'],
  ],
  webhook: [['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'], ['ALERT_WEBHOOK_URL']],
  push: [[], []],
  confirmation: [['CONFIRMATION_EMAIL'], ['SMTP_URL', 'ALERT_EMAIL_FROM']],
}

/** Includes variables that only the build, the commands, or compose.yaml read. */
export const knownVariables = [
  ...Object.keys(variables),
  ...['BACKUP_DIR', 'VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY', 'VITE_GOOGLE_MAPS_API_KEY'],
  ...['REDIRECT_FROM', 'COMPOSE_PROFILES', 'SITES', 'POSTGRES_PASSWORD'],
]

export type Env = ReturnType<typeof readEnv>
export type ChannelSettings = ReturnType<typeof readChannels>
export type ChannelKind = keyof ChannelSettings

/** Throws one error that lists all invalid variables. */
export function readEnv(given: Record<string, string | undefined>) {
  const set = Object.entries(given).filter(([, value]) => isSet(value))
  const parsed = v.safeParse(
    v.object(variables),
    Object.fromEntries(set.map(([name, value]) => [name, value?.trim()])),
  )
  if (!parsed.success)
    throw makeError(parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`))
  const env = parsed.output
  const port = env.PORT ?? 3000
  const keys = [env.SUPABASE_ANON_KEY ?? [], Object.values(env.SUPABASE_PUBLISHABLE_KEYS ?? {})]
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${port}`
  // Supabase serves HTML as plain text unless the project has a custom domain.
  const onSupabase = env.SUPABASE_DB_URL !== undefined
  const hasDomain = env.PUBLIC_URL && !new URL(publicUrl).hostname.endsWith('.supabase.co')
  const answerPath = onSupabase ? '/functions/v1/submit-to-airtable/answer' : '/answer'

  const deskEmails = toLowerCase([
    ...(env.DESK_EMAIL_TO ?? []),
    ...(env.ALERT_EMAIL_TO ?? []),
    ...(env.ESCALATION_EMAIL_TO ?? []),
  ])
  const desk = readDesk()
  checkAddresses()
  return {
    port,
    host: env.HOST ?? '0.0.0.0',
    dataDir: env.DATA_DIR ?? './data',
    databaseUrl: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    anonKeys: keys.flat().length > 0 ? keys.flat() : ['public-anon-key'],
    ...readChannels(env),
    ...checkGroups(env),
    /** If undefined, reminders follow after 40% and 80% of a lead's promised time. */
    escalateAfterMinutes: env.ESCALATE_AFTER_MINUTES?.map(Number),
    noAnswerMinutes: env.NO_ANSWER_MINUTES ?? 30,
    publicUrl,
    hasPublicUrl: env.PUBLIC_URL !== undefined,
    /** The URL of the "I’m calling" page; undefined where we cannot serve HTML. */
    answerUrl: !onSupabase || hasDomain ? publicUrl + answerPath : undefined,
    linkSecret: env.LINK_SECRET,
    allowedOrigins: env.ALLOWED_ORIGINS ?? [],
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE ?? 10,
    trustedProxies: env.TRUSTED_PROXIES,
    desk,
    /** These people can sign in to the desk, in addition to the crew added there. */
    deskEmails,
    /** These people are always owners; the desk cannot change their role. */
    ownerEmails: env.DESK_EMAIL_TO ? toLowerCase(env.DESK_EMAIL_TO) : deskEmails,
    contactUrl: decideContact(),
    /** Variables that look like ours, perhaps because of a typo. */
    unknown: listUnknown(
      set.map(([name]) => name),
      knownVariables,
    ),
  }

  /** The desk runs by default, but on a public site only with DESK_URL. */
  function readDesk() {
    // compose.yaml sets http://desk.localhost if DESK_URL is empty.
    const isForLaptop = !env.DESK_URL || new URL(env.DESK_URL).hostname.endsWith('.localhost')
    if (publicUrl.startsWith('https:') && isForLaptop) return undefined
    // With PORT=0, both servers use any free port.
    const port = env.DESK_PORT ?? (env.PORT === 0 ? 0 : 3001)
    const url = env.DESK_URL ?? `http://localhost:${port}`
    return { port, host: env.DESK_HOST ?? '127.0.0.1', url }
  }

  function checkAddresses() {
    if (!desk) return
    if (desk.port === port && port !== 0)
      throw makeError([`DESK_PORT must differ from PORT, but both are ${port}`])
    if (env.DESK_URL && new URL(desk.url).host === new URL(publicUrl).host)
      throw makeError([
        'DESK_URL must have a different host name or port than PUBLIC_URL, because the desk is a separate site',
      ])
  }

  /** Mozilla's and Apple's push services reject http: and localhost, so fall back to a reserved domain. */
  function decideContact() {
    const sender = env.ALERT_EMAIL_FROM?.match(/[^\s<>]+@[^\s<>]+/)?.[0]
    const email = sender ?? deskEmails[0]
    const https = [publicUrl, desk?.url].find((url) => url?.startsWith('https:'))
    return (email && `mailto:${email}`) ?? https ?? 'mailto:owner@example.com'
  }
}

const makeError = (faults: readonly string[]) =>
  new UserError(`Please fix these environment variables:\n  ${faults.join('\n  ')}`)

const toLowerCase = (emails: readonly string[]) => emails.map((email) => email.toLowerCase())

type Values = v.InferOutput<v.ObjectSchema<typeof variables, undefined>>

/** Returns the settings of each channel, or undefined if it is off. */
function readChannels(env: Values) {
  const { AIRTABLE_TOKEN, AIRTABLE_BASE_ID, SMTP_URL, ALERT_EMAIL_FROM, ALERT_EMAIL_TO = [] } = env
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, ALERT_SMS_TO } = env
  const mail = SMTP_URL && ALERT_EMAIL_FROM && { smtpUrl: SMTP_URL, from: ALERT_EMAIL_FROM }
  return {
    airtable:
      AIRTABLE_TOKEN && AIRTABLE_BASE_ID
        ? {
            token: AIRTABLE_TOKEN,
            baseId: AIRTABLE_BASE_ID,
            table: env.AIRTABLE_TABLE ?? 'Leads',
            apiUrl: env.AIRTABLE_API_URL ?? 'https://api.airtable.com',
          }
        : undefined,
    email: mail
      ? {
          ...mail,
          /** Empty if email is set up, but not for alerts. */
          to: ALERT_EMAIL_TO,
          remindTo: ALERT_EMAIL_TO.length > 0 ? (env.ESCALATION_EMAIL_TO ?? ALERT_EMAIL_TO) : [],
        }
      : undefined,
    sms:
      TWILIO_ACCOUNT_SID && TWILIO_AUTH_TOKEN && TWILIO_FROM && ALERT_SMS_TO
        ? {
            accountSid: TWILIO_ACCOUNT_SID,
            authToken: TWILIO_AUTH_TOKEN,
            /** A phone number or a Twilio messaging service (MG…). */
            from: TWILIO_FROM,
            apiUrl: env.TWILIO_API_URL ?? 'https://api.twilio.com',
            to: ALERT_SMS_TO,
            remindTo: env.ESCALATION_SMS_TO ?? ALERT_SMS_TO,
          }
        : undefined,
    webhook: env.ALERT_WEBHOOK_URL
      ? { url: env.ALERT_WEBHOOK_URL, secret: env.ALERT_WEBHOOK_SECRET }
      : undefined,
    push: { services: env.PUSH_SERVICES ?? [] },
    confirmation: env.CONFIRMATION_EMAIL === 'on' && mail ? mail : undefined,
  }
}

function checkGroups(env: Values) {
  const isGiven = (name: Variable) => env[name] !== undefined && env[name] !== 'off'
  /** The missing variables of partly configured channels. */
  const incomplete: Partial<Record<string, readonly string[]>> = {}
  /** The fully configured channels. */
  const setUpKinds: string[] = []
  for (const [kind, [startedBy, needed]] of Object.entries(groups)) {
    if (!startedBy.some(isGiven)) continue
    const missing = needed.filter((name) => !isGiven(name))
    if (missing.length > 0) incomplete[kind] = missing
    else setUpKinds.push(kind)
  }
  return { incomplete, setUpKinds }
}
