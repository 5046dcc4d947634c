import { expect, test } from 'vitest'
import { formatIcon, readLogo } from './logo.ts'

const drawing = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32">
<style>.a{fill:red}</style><script>alert(1)</script><!-- made with a tool -->
<path class="a" style="fill:red" onclick="x()" fill="#ff0000" stroke="none" d="M0 0h64"/></svg>`

test('a logo becomes one color, and loses what a page does not allow', () => {
  expect(readLogo(drawing)).toMatchObject({
    viewBox: '0 0 64 32',
    ratio: 2,
    shapes: '<path fill="currentColor" stroke="none" d="M0 0h64"/>',
  })
  expect(() => readLogo('<svg></svg>')).toThrow('viewBox')
  expect(formatIcon(drawing, { tile: '#111111', mark: '#eeeeee' })).toContain('color="#eeeeee"')
})
