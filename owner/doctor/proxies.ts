import { cannotTell, type Finding, ok, toDo } from './check.ts'

/** What the function answered about the proxies in front of it (proxy-question.ts). */
export function checkSeenProxies(proxies: unknown, isOnSupabase: boolean): Finding {
  const { seen, trusted } = (proxies ?? {}) as { seen?: unknown; trusted?: unknown }
  if (typeof seen !== 'number')
    return (
      isOnSupabase &&
      cannotTell(
        'proxies',
        'How many hops the gateway adds, by which visitors are told apart.',
        'LINK_SECRET in .env and among the secrets, then run this again',
      )
    )
  if (seen === 0 && isOnSupabase)
    return cannotTell('proxies', 'The gateway does not name its callers in X-Forwarded-For.')
  if (seen === trusted)
    return ok('proxies', `${seen} in front, as TRUSTED_PROXIES says: nobody can invent an address.`)
  const setting = `TRUSTED_PROXIES=${seen}`
  return toDo(
    'proxies',
    `${seen} in front, and the function counts on ${trusted ?? 'none'}: visitors may share one limit, or invent their address.`,
    isOnSupabase ? `npx supabase secrets set ${setting}` : `.env: ${setting}, then start again`,
  )
}
