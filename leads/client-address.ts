/**
 * The address the rate limit counts by. Each trusted proxy appends the address it was called from
 * to X-Forwarded-For; whatever stands further left the client may have invented.
 */
export function findClientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const chain = [...(forwardedFor?.split(',') ?? []), socketAddress ?? ''].map((hop) => hop.trim())
  const hop = chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? ''
  return groupAddress(hop)
}

/**
 * The same while nobody has said how many proxies there are, and a gateway is always in front: what
 * the gateway itself has written. In front of *.supabase.co stands Cloudflare, which sets this header
 * and lets nobody else set it; elsewhere only the last hop is certain.
 */
export function findGatewayAddress(
  getHeader: (name: string) => string | undefined,
  { behindCloudflare }: { behindCloudflare: boolean },
): string {
  const said = behindCloudflare ? getHeader('cf-connecting-ip') : undefined
  return said ? groupAddress(said) : findClientAddress(undefined, getHeader('x-forwarded-for'), 1)
}

/** One household or office is one client: an IPv4 address, or the first half of an IPv6 one. */
export function groupAddress(hop: string): string {
  const bare = hop
    .toLowerCase()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  if (!/^[0-9a-f:]{2,39}$/.test(bare) || !bare.includes(':')) return bare.slice(0, 64) || 'unknown'
  const [head = '', tail] = bare.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * The network of a client as groupAddress writes it: what one provider's customer can hold at little
 * cost, 256 IPv4 addresses (/24) or an IPv6 /48.
 */
export function findNetwork(client: string): string {
  const ipv4 = client.match(/^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/)?.[1]
  if (ipv4) return `${ipv4}.0/24`
  const ipv6 = client.match(/^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/)?.[1]
  return ipv6 ? `${ipv6}::/48` : client
}
