import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { decrypt } from 'http_ece'
import { type Call, type HttpFault, type HttpHandler, startHttpFake } from './http.ts'

/**
 * A fake push service and its devices. It requires a VAPID signature (RFC 8292) and decrypts messages as a device
 * would (RFC 8291).
 */

export const pushHost = 'push.example'

type PushFault =
  | HttpFault
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** Accepts the message, but the phone never shows it. */
  | { kind: 'drop' }
type Message = { at: number; device: string; headers: Call['headers']; data: PushData }

/** The payload that the browser passes to the service worker. */
export type PushData = {
  web_push: number
  notification: { title: string; body: string; tag: string; navigate: string; silent: boolean }
  lead: { leadId: string; opensList: boolean; isEmergency: boolean; isCalled: boolean }
  receipt: { messageId: string }
}

/** The simulation sets `isEncrypted` to false, because encryption would take most of its time. */
export function createFakePush({ now = Date.now, isEncrypted = true } = {}) {
  const phones = new Map<string, { key: ReturnType<typeof createECDH>; auth: Buffer }>()
  const messages: Message[] = []
  const faults = new Map<string, PushFault[]>()

  const handler: HttpHandler<PushFault> = {
    chooseFault: ({ url }) => faults.get(url.pathname.slice(1))?.shift(),
    answer(call, fault) {
      if (fault?.kind === 'status') return { body: '', ...fault }
      const device = call.url.pathname.slice(1)
      const phone = phones.get(device)
      if (!phone) return { status: 410, body: '' }
      const refused = isEncrypted && findRefusal(call, now())
      if (refused) return { status: refused, body: '' }
      const { key, auth } = phone
      const options = {
        version: 'aes128gcm',
        privateKey: key,
        authSecret: auth.toString('base64url'),
      }
      if (fault?.kind === 'drop') return { status: 201, body: '' }
      const text = isEncrypted ? decrypt(call.bytes, options).toString('utf8') : call.text
      messages.push({ at: now(), device, headers: call.headers, data: JSON.parse(text) })
      return { status: 201, body: '' }
    },
  }

  return {
    handler,
    messages,
    /** Sets how the next messages to this device fail. */
    failNext: (device: string, ...some: PushFault[]) => faults.set(device, some),
    /** Returns a subscription as a browser would. */
    addPhone(device: string) {
      const key = createECDH('prime256v1')
      key.generateKeys()
      const auth = randomBytes(16)
      phones.set(device, { key, auth })
      return {
        endpoint: `https://${pushHost}/${device}`,
        keys: { p256dh: key.getPublicKey('base64url'), auth: auth.toString('base64url') },
      }
    },
    removePhone: (device: string) => phones.delete(device),
  }
}

export async function startFakePush() {
  const fake = createFakePush()
  const server = await startHttpFake(fake.handler)
  return {
    ...fake,
    ...server,
    /** Sends requests for the push host to this server. */
    fetch: ((input: string | URL, init?: RequestInit) => {
      const url = new URL(input)
      return fetch(url.host === pushHost ? server.url + url.pathname : url, init)
    }) as typeof fetch,
  }
}

/** Returns an error status if the request breaks a rule that push services document. */
function findRefusal({ headers, bytes, method }: Call, now: number): number | undefined {
  if (method !== 'POST') return 405
  if (headers['content-encoding'] !== 'aes128gcm' || !/^\d+$/.test(String(headers.ttl))) return 400
  if (bytes.length > 4096) return 413
  if (headers.topic && !/^[\w-]{1,32}$/.test(String(headers.topic))) return 400
  const [, token = '', key = ''] =
    String(headers.authorization).match(/^vapid t=([\w.-]+), k=([\w-]+)$/) ?? []
  return isSigned(token, key, now) ? undefined : 403
}

function isSigned(token: string, key: string, now: number): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return false
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
    half.toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: 'P-256', x: String(x), y: String(y) }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', signed, by, Buffer.from(signature, 'base64url'))) return false
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const inSeconds = exp - now / 1000
  const isContact = /^(mailto:.+@.+|https?:\/\/.+)/.test(sub)
  return aud === `https://${pushHost}` && inSeconds > 0 && inSeconds <= 86_400 && isContact
}
