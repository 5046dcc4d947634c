import { type Check, defineCheck } from './check.ts'

const isLoopback = (host: string) => /(^|\.)localhost$|^127\.|^\[?::1\]?$/.test(host)

/** Whether other machines can use the desk without encryption. A proxy is expected to encrypt. */
const isExposed = ({ url, host }: { url: string; host: string }, trustedProxies = 0) =>
  !isLoopback(new URL(url).hostname) || (!isLoopback(host) && trustedProxies === 0)

/** Checks of the desk's address. */
export const deskChecks: readonly Check[] = [
  defineCheck({
    id: 'desk-off',
    runsIn: ['start', 'doctor'],
    severity: 'note',
    find: ({ env }) => (env.desk ? undefined : true),
    forDeveloper: () => ({
      text: 'The desk is off. To turn it on, set DESK_URL to an https address of its own.',
      next: 'Set DESK_URL=https://desk.your-domain.com in .env, or leave it empty if you don’t need the desk',
    }),
  }),
  defineCheck({
    id: 'desk-url-missing',
    runsIn: ['start', 'doctor'],
    severity: 'warning',
    find: ({ env, isPublic }) => {
      if (!env.desk || env.desk.url.startsWith('https://')) return
      return isPublic || isExposed(env.desk, env.trustedProxies) ? env.desk : undefined
    },
    forDeveloper: (desk, { env }) => ({
      text: isExposed(desk, env.trustedProxies)
        ? `DESK_URL is not set to an https address: others in the network can read the leads and sign-in links of the desk (${desk.url}, listening on ${desk.host}).`
        : `DESK_URL is not set to an https address: sign-in links lead to ${desk.url}, which no phone can open.`,
      next: 'Set DESK_URL=https://desk.your-domain.com in .env',
    }),
  }),
]
