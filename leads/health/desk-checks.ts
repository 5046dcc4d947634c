import type { Check } from './check.ts'

const isLoopback = (host: string) => /(^|\.)localhost$|^127\.|^\[?::1\]?$/.test(host)

/** True if other machines can reach the desk without encryption. Assumes that trusted proxies encrypt connections. */
const isExposed = ({ url, host }: { url: string; host: string }, trustedProxies = 0) =>
  !isLoopback(new URL(url).hostname) || (!isLoopback(host) && trustedProxies === 0)

export const deskChecks: readonly Check[] = [
  {
    id: 'desk-off',
    runsIn: ['start', 'doctor'],
    severity: 'note',
    find: ({ env }) =>
      !env.desk && {
        text: 'The desk is off. To turn it on, set DESK_URL to its own https URL.',
        next: 'Set DESK_URL=https://desk.your-domain.com in .env, or leave it empty if you don’t need the desk',
      },
  },
  {
    id: 'desk-url-missing',
    runsIn: ['start', 'doctor'],
    find: ({ env: { desk, trustedProxies }, isPublic }) => {
      if (!desk || desk.url.startsWith('https://')) return
      const others = isExposed(desk, trustedProxies)
      if (!isPublic && !others) return
      return {
        text: `DESK_URL is not set to an https URL. ${
          others
            ? `Others on the network can read the desk’s leads and sign-in links (${desk.url}, listening on ${desk.host}).`
            : `Sign-in links go to ${desk.url}, which phones cannot open.`
        }`,
        next: 'Set DESK_URL=https://desk.your-domain.com in .env',
      }
    },
  },
]
