import { expect, test } from 'vitest'
import { isTyping } from './field-input.ts'

test.each([
  ['a key', { inputType: 'insertText' }, true],
  ['an input method', { inputType: 'insertCompositionText' }, true],
  ['a paste', { inputType: 'insertFromPaste' }, true],
  ['a deletion', { inputType: 'deleteContentBackward' }, true],
  ['Chrome’s autofill', {}, false],
  ['Firefox’s and Safari’s autofill', { inputType: 'insertReplacementText' }, false],
  ['an event from fillInput', { inputType: '' }, false],
])('recognizes typing: %s %j is %s', (_, event, expected) => {
  expect(isTyping(event)).toBe(expected)
})
