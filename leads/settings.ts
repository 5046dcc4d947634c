import * as v from 'valibot'
import type { Channel, SiteSettings } from './channels/channel-type.ts'
import { type ChannelSettings, type ChannelVariables, channels } from './channels/channels.ts'
import { type BusinessHours, isTimeZone } from './hours.ts'
import { UserError } from './user-error.ts'
import {
  checked,
  emails,
  hasProtocol,
  isSet,
  list,
  publicAddress,
  text,
  webAddress,
  wholeNumber,
} from './variables.ts'

const postgres = checked(
  (text) => hasProtocol(text, ['postgres:', 'postgresql:']),
  'must look like postgres://user:password@host:5432/name',
)

const supabaseKeysMessage = 'must be a JSON object of keys, as Supabase sets it'

const siteVariables = {
  PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  HOST: text,
  DATA_DIR: text,
  DATABASE_URL: postgres,
  SUPABASE_DB_URL: postgres,
  SUPABASE_ANON_KEY: text,
  SUPABASE_PUBLISHABLE_KEYS: v.optional(
    v.pipe(
      v.string(),
      v.parseJson(undefined, supabaseKeysMessage),
      v.record(v.string(), v.string(), supabaseKeysMessage),
    ),
  ),
  NO_ANSWER_MINUTES: wholeNumber(1_440, 'must be a whole number from 1 to 1440', 1),
  TIME_ZONE: checked(isTimeZone, 'must be a time zone such as America/Chicago'),
  PUBLIC_URL: publicAddress,
  LINK_SECRET: checked((text) => text.length >= 16, 'must be at least 16 random characters'),
  // An origin has a scheme, a host, and a port, but no path.
  ALLOWED_ORIGINS: list(
    (item) => URL.parse(item)?.origin === item,
    'must be origins such as https://www.example.com, separated by commas',
    (item) => item.replace(/\/+$/, ''),
  ),
  DESK_PORT: wholeNumber(65_535, 'must be a port: a whole number up to 65535'),
  DESK_HOST: text,
  DESK_URL: webAddress('must be the desk’s web address, such as https://desk.example.com'),
  DESK_EMAIL_TO: emails,
  RATE_LIMIT_PER_MINUTE: wholeNumber(1_000_000, 'must be a whole number; 0 means no limit'),
  TRUSTED_PROXIES: wholeNumber(10, 'must be a whole number from 0 to 10'),
}

// The longest promise that site/content.ts allows is 240 minutes.
const maxReminderMinutes = 239

export const variables = {
  ...siteVariables,
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
  ...(Object.assign({}, ...channels.map(({ settings }) => settings.variables)) as ChannelVariables),
}

export type Env = ReturnType<typeof readEnv>

/** Throws one error that lists all invalid variables. */
export function readEnv(
  given: Record<string, string | undefined>,
  hours: Pick<BusinessHours, 'timeZone'>,
) {
  const set = Object.entries(given).filter(([, value]) => isSet(value))
  const parsed = v.safeParse(
    v.object(variables),
    Object.fromEntries(set.map(([name, value]) => [name, value?.trim()])),
  )
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => `  ${v.getDotPath(issue)} ${issue.message}`)
    throw new UserError(`Please fix these environment variables:\n${faults.join('\n')}`)
  }
  const env = parsed.output
  const port = env.PORT ?? 3000
  const keys = [env.SUPABASE_ANON_KEY ?? [], Object.values(env.SUPABASE_PUBLISHABLE_KEYS ?? {})]
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
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
  const settings = {
    port,
    host: env.HOST ?? '0.0.0.0',
    dataDir: env.DATA_DIR ?? './data',
    databaseUrl: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    anonKeys: keys.flat().length > 0 ? keys.flat() : ['public-anon-key'],
    ...readChannels(env),
    /** If undefined, reminders follow after 40% and 80% of a lead's promised time. */
    escalateAfterMinutes: env.ESCALATE_AFTER_MINUTES?.map(Number),
    noAnswerMinutes: env.NO_ANSWER_MINUTES ?? 30,
    timeZone: env.TIME_ZONE ?? hours.timeZone,
    publicUrl,
    hasPublicUrl: env.PUBLIC_URL !== undefined,
    /** The address of the "I’m calling" page; undefined where we cannot serve HTML. */
    answerUrl: !onSupabase || hasDomain ? publicUrl + answerPath : undefined,
    linkSecret: env.LINK_SECRET,
    allowedOrigins: env.ALLOWED_ORIGINS ?? [],
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE ?? 10,
    trustedProxies: env.TRUSTED_PROXIES,
    desk,
    /** These people can sign in to the desk, in addition to the crew added there. */
    deskEmails,
    /** The desk cannot make them crew. */
    ownerEmails: env.DESK_EMAIL_TO ? toLowerCase(env.DESK_EMAIL_TO) : deskEmails,
    contactUrl: decideContact(),
  } satisfies SiteSettings & Record<string, unknown>

  /** The desk always runs on a laptop; on a public site it needs DESK_URL. */
  function readDesk() {
    // compose.yaml sets http://desk.localhost if DESK_URL is empty.
    const isForLaptop = !env.DESK_URL || new URL(env.DESK_URL).hostname.endsWith('.localhost')
    if (publicUrl.startsWith('https:') && isForLaptop) return undefined
    // With PORT=0, both servers use any free port.
    const port = env.DESK_PORT ?? (env.PORT === 0 ? 0 : 3001)
    const url = (env.DESK_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
    return { port, host: env.DESK_HOST ?? '127.0.0.1', url }
  }

  /** Mozilla's and Apple's push services reject http: and localhost, so fall back to a reserved domain. */
  function decideContact() {
    const sender = env.ALERT_EMAIL_FROM?.match(/[^\s<>]+@[^\s<>]+/)?.[0]
    const email = sender ?? deskEmails[0]
    const https = [publicUrl, desk?.url].find((url) => url?.startsWith('https:'))
    return (email && `mailto:${email}`) ?? https ?? 'mailto:owner@example.com'
  }

  return settings
}

const toLowerCase = (emails: readonly string[]) => emails.map((email) => email.toLowerCase())

function readChannels(values: v.InferOutput<v.ObjectSchema<typeof variables, undefined>>) {
  const isGiven = (name: string) => values[name as keyof typeof values] !== undefined
  const listMissing = ({ settings }: Channel) => settings.required.filter((name) => !isGiven(name))
  const started = (channels as readonly Channel[]).filter(({ settings }) =>
    Object.keys(settings.variables).some(
      (name) => isGiven(name) && !settings.optional?.includes(name),
    ),
  )
  const settings = channels.map((channel: Channel) => [channel.kind, channel.settings.read(values)])
  return {
    ...(Object.fromEntries(settings) as ChannelSettings),
    /** The missing variables of partly configured channels. */
    incomplete: Object.fromEntries(
      started
        .map((channel) => [channel.kind, listMissing(channel)] as const)
        .filter(([, missing]) => missing.length > 0),
    ) as { [Kind in keyof ChannelSettings]?: string[] },
    /** The fully configured alert channels. */
    alertKinds: started
      .filter((one) => one.isAlert && one.settings.required.length > 0)
      .filter((one) => listMissing(one).length === 0)
      .map(({ kind }) => kind),
  }
}
