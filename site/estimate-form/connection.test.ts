import { expect, test } from 'vitest'
import { isForeignResponse } from './connection.ts'

const backend = 'https://abc.supabase.co/'
const path = 'functions/v1/submit-to-airtable'

test.each([
  ['JSON', 'application/json', `${backend}${path}`, false, false],
  ['a response without a type', undefined, `${backend}${path}`, false, false],
  ['plain text', 'text/plain', `${backend}${path}`, false, false],
  ['HTML', 'Text/HTML; charset=utf-8', `${backend}${path}`, false, true],
  ['a redirect to HTTPS', 'application/json', `${backend}${path}`, true, false],
  ['a redirect to another host', 'application/json', `https://wifi.example/${path}`, true, true],
  ['a redirect to another path', 'application/json', `${backend}sign-in`, true, true],
])('decides whether %s comes from another server', (_, type, url, redirected, expected) => {
  const headers = new Headers(type ? { 'Content-Type': type } : {})
  expect(isForeignResponse({ headers, redirected, url }, backend)).toBe(expected)
})
