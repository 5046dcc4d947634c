import { expect, test } from 'vitest'
import { isTyping } from './field-input.ts'

test.each(['insertText', 'insertCompositionText', 'insertFromPaste', 'deleteContentBackward'])(
  '%s is someone typing',
  (inputType) => {
    expect(isTyping({ inputType })).toBe(true)
  },
)

test.each([
  ['Chrome’s autofill', {}],
  ['Firefox’s and Safari’s autofill', { inputType: 'insertReplacementText' }],
  ['our own filling', { inputType: '' }],
])('%s is not typing', (_what, event) => {
  expect(isTyping(event)).toBe(false)
})
