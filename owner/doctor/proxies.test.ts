import { expect, it } from 'vitest'
import { listChecks } from './check.ts'
import { checkSeenProxies } from './proxies.ts'

it.each([
  ['as set', { seen: 1, trusted: 1 }, false, ['ok'], undefined],
  ['too few', { seen: 2, trusted: 1 }, false, ['to do'], '.env: TRUSTED_PROXIES=2'],
  ['too many', { seen: 0, trusted: 1 }, false, ['to do'], '.env: TRUSTED_PROXIES=0'],
  ['not set', { seen: 2, trusted: null }, true, ['to do'], 'secrets set TRUSTED_PROXIES=2'],
  ['without the secret', undefined, true, ['cannot tell'], 'LINK_SECRET'],
  ['without the secret, on Node', undefined, false, [], undefined],
  ['no hops at a gateway', { seen: 0, trusted: null }, true, ['cannot tell'], undefined],
])('proxies: %s', (_, proxies, isOnSupabase, states, next) => {
  const checks = listChecks(checkSeenProxies(proxies, isOnSupabase))
  expect(checks.map(({ state }) => state)).toEqual(states)
  if (next) expect(checks[0]?.next).toContain(next)
})
