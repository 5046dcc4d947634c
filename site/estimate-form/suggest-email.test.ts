import { describe, expect, test } from 'vitest'
import { suggestEmail } from './suggest-email.ts'

describe('suggestEmail', () => {
  test.each([
    ['jane@gmial.com', 'jane@gmail.com'],
    ['jane@gmai.com', 'jane@gmail.com'],
    ['jane@gmaill.com', 'jane@gmail.com'],
    ['jane@gnail.com', 'jane@gmail.com'],
    ['jane@gmail.con', 'jane@gmail.com'],
    ['jane@gmail.co', 'jane@gmail.com'],
    ['jane@gmailcom', 'jane@gmail.com'],
    ['Jane.Doe+roof@YAHO.com', 'Jane.Doe+roof@yahoo.com'],
    ['jane@hotmial.com', 'jane@hotmail.com'],
    ['jane@outlok.com', 'jane@outlook.com'],
    ['jane@iclod.com', 'jane@icloud.com'],
    [' jane@comcast.ne ', 'jane@comcast.net'],
  ])('for %j suggests %j', (typed, meant) => {
    expect(suggestEmail(typed)).toBe(meant)
  })

  test.each([
    'jane@gmail.com',
    'jane@mail.com',
    'jane@ymail.com',
    'jane@example.com',
    'jane@',
    '@gmial.com',
    'jane',
    'a@b@gmial.com',
    '',
  ])('has nothing to say about %j', (typed) => {
    expect(suggestEmail(typed)).toBeUndefined()
  })
})
