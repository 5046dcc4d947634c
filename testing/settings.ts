import { type Env, readEnv } from '#leads/settings.ts'

/** The settings a test needs, as the owner would write them. */
export const makeSettings = (variables: Record<string, string> = {}): Env =>
  readEnv({
    TIME_ZONE: 'America/Chicago',
    PUBLIC_URL: 'https://www.example.com',
    LINK_SECRET: 'a secret for tests',
    ...variables,
  })
