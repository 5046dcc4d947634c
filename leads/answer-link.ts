import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs } from './time-units.ts'

const expiresAfterMs = 7 * dayMs
// 128 bits are enough to prevent guessing, and they keep the link short enough for a text message.
const signatureBytes = 16
const idBytes = 16
const expiryBytes = 4
const tokenPattern = /^[A-Za-z0-9_-]{48}$/

export function makeAnswerToken(leadId: string, secret: string, now: number): string {
  const id = Buffer.from(leadId.replaceAll('-', ''), 'hex')
  const expiry = Buffer.alloc(expiryBytes)
  expiry.writeUInt32BE(Math.ceil((now + expiresAfterMs) / 1000))
  const content = Buffer.concat([id, expiry])
  return Buffer.concat([content, sign(content, secret)]).toString('base64url')
}

/** Returns the ID of the lead in a link. Checks the signature before using anything else. */
export function readAnswerToken(
  token: string,
  secret: string,
  now: number,
): { kind: 'valid'; leadId: string } | { kind: 'forged' | 'expired' } {
  if (!tokenPattern.test(token)) return { kind: 'forged' }
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, idBytes + expiryBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes + expiryBytes), sign(content, secret)))
    return { kind: 'forged' }
  if (content.readUInt32BE(idBytes) * 1000 < now) return { kind: 'expired' }
  const leadId = content
    .toString('hex', 0, idBytes)
    .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  return { kind: 'valid', leadId }
}

const sign = (content: Uint8Array, secret: string): Buffer =>
  createHmac('sha256', secret)
    .update('answer link:')
    .update(content)
    .digest()
    .subarray(0, signatureBytes)
