import { expect, it } from 'vitest'
import { isLeadRefused, isMailRefused, isTextRefused } from './refusal.ts'

it('a webhook’s refusal is the lead’s own only where the lead is what it dislikes', () => {
  for (const status of [400, 409, 413, 422]) expect([status, isLeadRefused(status)]).toContain(true)
  for (const status of [0, 301, 401, 403, 404, 405, 408, 410, 415, 429, 500, 502, 503])
    expect([status, isLeadRefused(status)]).toContain(false)
})

it('a mail server’s refusal is the mail’s own when it is for good and not about the sender', () => {
  expect(isMailRefused(550, 'RCPT TO')).toBe(true)
  expect(isMailRefused(552, 'DATA')).toBe(true)
  expect(isMailRefused(451, 'DATA')).toBe(false)
  expect(isMailRefused(550, 'MAIL FROM')).toBe(false)
  expect(isMailRefused(535, 'AUTH PLAIN')).toBe(false)
  expect(isMailRefused(undefined, 'CONN')).toBe(false)
})

it('Twilio’s refusal is the message’s own unless it is about the account or the sender', () => {
  expect(isTextRefused(400, 21211)).toBe(true)
  expect(isTextRefused(400, undefined)).toBe(true)
  expect(isTextRefused(400, 21606)).toBe(false)
  expect(isTextRefused(401, 20003)).toBe(false)
  expect(isTextRefused(429, 20429)).toBe(false)
})
