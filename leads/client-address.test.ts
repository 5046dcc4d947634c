import { expect, it } from 'vitest'
import {
  computeNetwork,
  fitsProxies,
  groupAddress,
  readClientAddress,
  readGatewayAddress,
} from './client-address.ts'

it.each([
  ['the socket when no proxy is trusted', '198.51.100.1', '203.0.113.7', 0, '198.51.100.1'],
  ['the address that the one proxy reports', '10.0.0.1', '6.6.6.6, 203.0.113.7', 1, '203.0.113.7'],
  ['the first of two proxies', '10.0.0.1', '6.6.6.6, 203.0.113.7, 10.0.0.2', 2, '203.0.113.7'],
  ['the leftmost hop if there are fewer', '10.0.0.1', '203.0.113.7', 5, '203.0.113.7'],
  ['the socket if the header is missing', '10.0.0.1', undefined, 1, '10.0.0.1'],
  ['unknown if there is no address', undefined, undefined, 0, 'unknown'],
])('uses %s', (_, socket, forwarded, proxies, expected) => {
  expect(readClientAddress(socket, forwarded, proxies)).toBe(expected)
})

it.each([
  ['the last hop', false, '6.6.6.6, 203.0.113.7', '6.6.6.6', '203.0.113.7'],
  ['Cloudflare’s header', true, '6.6.6.6, 10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['the last hop without its header', true, '6.6.6.6, 203.0.113.7', undefined, '203.0.113.7'],
  ['unknown if there is no address', true, undefined, undefined, 'unknown'],
])('uses %s behind a gateway', (_, behindCloudflare, forwardedFor, cloudflare, expected) => {
  const headers: Record<string, string | undefined> = {
    'x-forwarded-for': forwardedFor,
    'cf-connecting-ip': cloudflare,
  }
  expect(readGatewayAddress((name) => headers[name], { behindCloudflare })).toBe(expected)
})

it.each([
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['x'.repeat(500), 'x'.repeat(64)],
])('groups %s as %s', (hop, expected) => {
  expect(groupAddress(hop)).toBe(expected)
})

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['unknown', 'unknown'],
  ['not an address', 'not an address'],
])('finds the network of %s: %s', (client, expected) => {
  expect(computeNetwork(client)).toBe(expected)
})

it.each([
  [undefined, 0, true],
  ['198.51.100.4', 0, false],
  ['198.51.100.4', 1, true],
  ['198.51.100.4, 203.0.113.7', 1, false],
  [undefined, 1, false],
])('X-Forwarded-For %s fits %d trusted proxies: %s', (forwardedFor, proxies, fits) => {
  expect(fitsProxies(forwardedFor, proxies)).toBe(fits)
})
