/**
 * Returns the IP address for the rate limit. Each trusted proxy appends its client's IP address to
 * X-Forwarded-For; entries further left may be forged.
 */
export function readClientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const chain = [...(forwardedFor?.split(',') ?? []), socketAddress ?? ''].map((hop) => hop.trim())
  const hop = chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? ''
  return groupAddress(hop)
}

/**
 * Returns the client's IP address behind a gateway when TRUSTED_PROXIES is not set. On *.supabase.co, Cloudflare sets
 * cf-connecting-ip and clients cannot forge it; elsewhere, only the last entry of X-Forwarded-For is certain.
 */
export function readGatewayAddress(
  getHeader: (name: string) => string | undefined,
  { behindCloudflare }: { behindCloudflare: boolean },
): string {
  const sent = behindCloudflare ? getHeader('cf-connecting-ip') : undefined
  return sent ? groupAddress(sent) : readClientAddress(undefined, getHeader('x-forwarded-for'), 1)
}

/** Returns an IPv4 address, or the /64 of an IPv6 address, which one household shares. */
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

/** Takes a result of groupAddress and returns its IPv4 /24 or IPv6 /48, a range that one person can rent cheaply. */
export function computeNetwork(client: string): string {
  const ipv4 = client.match(/^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/)?.[1]
  if (ipv4) return `${ipv4}.0/24`
  const ipv6 = client.match(/^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/)?.[1]
  return ipv6 ? `${ipv6}::/48` : client
}

/** Takes a result of groupAddress. A private, loopback, or unknown address may be a proxy's. */
export function isPublicAddress(client: string): boolean {
  if (client.includes(':')) return /^[23][0-9a-f]{3}:/.test(client)
  const [first = 0, second = 0] = client.split('.').map(Number)
  return (
    /^\d{1,3}(\.\d{1,3}){3}$/.test(client) &&
    ![0, 10, 127].includes(first) &&
    !(first === 100 && second >= 64 && second < 128) &&
    !(first === 169 && second === 254) &&
    !(first === 172 && second >= 16 && second < 32) &&
    !(first === 192 && second === 168)
  )
}

/** Returns true if X-Forwarded-For has one entry for each trusted proxy. */
export const fitsProxies = (forwardedFor: string | undefined, trustedProxies: number): boolean =>
  (forwardedFor?.split(',').length ?? 0) === trustedProxies
