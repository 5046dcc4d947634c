import { expect, test } from 'vitest'
import { UserError } from '#leads/user-error.ts'
import { formatIcon, readLogo } from './logo.ts'

const drawing = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32">
<style>.a{fill:red}</style><script>alert(1)</script><!-- made with a tool -->
<path class="a" style="fill:red" onclick="x()" fill="#ff0000" stroke="none" d="M0 0h64"/></svg>`

const wrap = (shapes: string, root = '') => `<svg viewBox="0 0 24 24" ${root}>${shapes}</svg>`

test('reduces a logo to one color, without styles, scripts, or handlers', () => {
  expect(readLogo(drawing)).toMatchObject({
    viewBox: '0 0 64 32',
    ratio: 2,
    shapes: '<path stroke="none" d="M0 0h64" fill="currentColor"/>',
  })
  expect(() => readLogo('<svg></svg>')).toThrow('viewBox')
  expect(formatIcon(readLogo(drawing), { tile: '#111111', mark: '#eeeeee' })).toContain(
    'color="#eeeeee"',
  )
})

test('reads Inkscape files with line breaks, single quotes, and custom elements and attributes', () => {
  const inkscape = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape: <svg> -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
  <!ENTITY ns_svg "http://www.w3.org/2000/svg">
]>
<svg width='24mm' viewBox='0 0
     24 12' inkscape:version="1.3" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
   xmlns:sodipodi="http://sodipodi.test" xmlns:rdf="http://rdf.test" xmlns:cc="http://cc.test"
   xmlns:xlink="http://www.w3.org/1999/xlink">
  <title>Logo</title><desc>A
roof</desc>
  <sodipodi:namedview id="base"><inkscape:page x="0" /></sodipodi:namedview>
  <defs id="defs1" /><defs><linearGradient id="g"><stop offset="0" /></linearGradient></defs>
  <metadata><rdf:RDF><cc:Work rdf:about="" /></rdf:RDF></metadata>
  <g inkscape:label="a > b" transform="translate(1 2)">
    <path style="fill:none;stroke:#102030;stroke-width:2px;-inkscape-stroke:none" xlink:href="#x"
       d='m 0,0
          h 9' />
    <path fill="#102030" id="p" d="M0 0z"></path>
  </g>
</svg>
`
  expect(readLogo(inkscape)).toMatchObject({
    viewBox: '0 0 24 12',
    shapes:
      '<g transform="translate(1 2)"><path d="m 0,0 h 9" fill="none" stroke="currentColor" stroke-width="2px"/><path fill="currentColor" d="M0 0z"/></g>',
  })
})

test('keeps strokes from attributes and from style sheets', () => {
  const root = 'class="lucide" fill="none" stroke="#000" stroke-width="2" stroke-linecap="round"'
  expect(readLogo(wrap('<path d="M3 9h9"/>', root)).shapes).toBe(
    '<g fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"><path d="M3 9h9"/></g>',
  )
  const illustrator = `<defs><style><![CDATA[
    .cls-1, .cls-2 { fill: none; }
    .cls-1 { stroke: #000 }
  ]]></style></defs><circle class="cls-1" cx="9" cy="9" r="3"/><path class="cls-3" d="M0 0z"/>`
  expect(readLogo(wrap(illustrator)).shapes).toBe(
    '<circle cx="9" cy="9" r="3" fill="none" stroke="currentColor"/><path d="M0 0z"/>',
  )
})

test('removes a background, but not an outlined frame', () => {
  const mark = '<path d="M3 9h9z"/>'
  for (const size of ['width="24" height="24"', 'width="100%" height="100%" rx="4"'])
    expect(readLogo(wrap(`<rect ${size} fill="#fff"></rect>${mark}`)).shapes).toBe(mark)
  const frame = '<rect fill="none" stroke="currentColor" width="24" height="24"/>'
  expect(readLogo(wrap(frame)).shapes).toBe(frame)
  expect(readLogo(wrap('<rect width="24" height="5"/>')).shapes).toContain('<rect')
})

test('accepts one gradient, and one color in several notations', () => {
  const gradient = '<linearGradient id="g"/><path fill="url(#g)" d="M0 0h9z"/>'
  expect(readLogo(wrap(gradient)).shapes).toBe('<path fill="currentColor" d="M0 0h9z"/>')
  const red = '<g fill="red"><path d="M0 0h9z"/><path fill="#F00" d="M0 9h9z"/></g>'
  expect(readLogo(wrap(red)).shapes.match(/<path/g)).toHaveLength(2)
})

test.each([
  ['a shape over another', '<circle fill="red" r="9"/><path fill="#fff" d="M0 0h9z"/>'],
  ['an outline', '<circle fill="red" stroke="white" r="9"/>'],
  ['the color of a group', '<path d="M0 0h9z"/><g fill="#fff"><path d="M0 9h9z"/></g>'],
])('rejects a second color that would hide a shape: %s', (_, shapes) => {
  expect(() => readLogo(wrap(shapes))).toThrow(
    /^site\/brand\/logo\.svg has 2 colors \(#\w+ and #\w+\), .* Path > Difference/,
  )
})

test.each([
  ['<text x="1">Acme</text>', /^site\/brand\/logo\.svg contains <text>, .*Object to Path/],
  ['<use href="#a"/>', 'contains <use>'],
  ['<image href="a.png"/>', 'contains <image>'],
  ['<rect width="24" height="24"/>', 'contains only a background'],
  ['<g></g>', 'contains only a background'],
  ['<path d="M0 0z">', 'Cannot read'],
])('rejects %s with a clear message', (shapes, message) => {
  expect(() => readLogo(wrap(shapes))).toThrow(message)
  expect(() => readLogo(wrap(shapes))).toThrow(UserError)
})
