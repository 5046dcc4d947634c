import { type Env, readEnv } from '#leads/settings.ts'

/** Reads settings from environment variables, with the defaults that tests need. */
export const makeSettings = (variables: Record<string, string> = {}): Env =>
  readEnv({
    PUBLIC_URL: 'https://www.example.com',
    LINK_SECRET: 'a secret for tests',
    ...variables,
  })
