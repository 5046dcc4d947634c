import { logo } from '#leads/brand.json'

const size = 34

/** The greatest width of each kind of letter in Archivo, in em. */
const letterWidths: [RegExp, number][] = [
  [/[ '.ijl]/, 0.28],
  [/[Ifrt-]/, 0.39],
  [/[MWmw]/, 0.96],
  [/[&A-Z]/, 0.8],
  [/./, 0.61],
]

/** A short name fits on two lines of 5 em (header.css). Leave a margin, because some systems round up letter widths. */
const maxLineWidth = 4.7

/** A long name does not fit in the header on tablets. A short name fits on most phones, on two lines. */
export function measureName(name: string): 'short' | 'long' | undefined {
  if (name.length > 28) return 'long'
  const words = name.split(' ')
  const lineBreaks = words.map((_, index) => [words.slice(0, index), words.slice(index)])
  const fits = (line: string[]) => measureLine(line.join(' ')) <= maxLineWidth
  return lineBreaks.some((lines) => lines.every(fits)) ? 'short' : undefined
}

function measureLine(text: string) {
  let sum = 0
  for (const letter of text) sum += letterWidths.find(([kind]) => kind.test(letter))?.[1] ?? 0
  return sum
}

/** The logo next to the company's name, in the color of the text around it. */
export function Logo({ name }: { name: string }) {
  return (
    <span className="logo">
      <svg
        viewBox={logo.viewBox}
        width={size * logo.ratio}
        height={size}
        aria-hidden="true"
        fill="currentColor"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the owner supplies the logo
        dangerouslySetInnerHTML={{ __html: logo.shapes }}
      />
      <span>{name}</span>
    </span>
  )
}
