import { expect, test } from 'vitest'
import { suggestEmail } from './suggest-email.ts'

test.each([
  ['gmail.com', 'gmial.com gmai.com gmaill.com gnail.com gmail.con gmail.co gmailcom'],
  ['yahoo.com', 'YAHO.com'],
  ['hotmail.com', 'hotmial.com'],
  ['outlook.com', 'outlok.com'],
  ['icloud.com', 'iclod.com'],
  ['comcast.net', 'comcast.ne'],
])('suggests %s for %s', (meant, typed) => {
  for (const domain of typed.split(' '))
    expect(suggestEmail(` Jane.Doe+roof@${domain} `)).toBe(`Jane.Doe+roof@${meant}`)
})

test('suggests nothing for correct or incomplete addresses', () => {
  const right = ['jane@gmail.com', 'jane@mail.com', 'jane@ymail.com', 'jane@example.com']
  const none = ['jane@', '@gmial.com', 'jane', 'a@b@gmial.com', '']
  for (const typed of [...right, ...none])
    expect([typed, suggestEmail(typed)]).toEqual([typed, undefined])
})
