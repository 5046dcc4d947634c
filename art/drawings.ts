import { writeFile } from 'node:fs/promises'

export const palette = {
  ink: '#1b2326',
  slate: '#3f5458',
  cream: '#faf6ee',
  sand: '#efe6d6',
  copper: '#b4501e',
}

// A gable of 4:12 with its chimney, and two courses of shingles below it; on a 32 × 32 grid.
export const mark =
  'M22 8V3.5h4v5.83l6 2v5L16 11 0 16.33v-5L16 6zM16 13.5l12 4v4.7l-12-4-12 4v-4.7zM16 20.7l12 4V28H4v-3.3z'

// Decorative: whatever a drawing means, the page says in words.
const svg = (width: number, height: number, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>\n`

const round = (value: number) => Number(value.toFixed(1))

function drawLogoMark(): string {
  return svg(32, 32, `<path fill="currentColor" d="${mark}"/>`)
}

// A tile of its own colour, because a tab strip may be light or dark.
export function drawTile(size: number, cornerRadius: number): string {
  const inset = size * 0.16
  const scale = round(((size - 2 * inset) / 32) * 1000) / 1000
  return svg(
    size,
    size,
    `<rect width="${size}" height="${size}" rx="${cornerRadius}" fill="${palette.copper}"/><path fill="${palette.cream}" transform="translate(${round(inset)} ${round(inset)}) scale(${scale})" d="${mark}"/>`,
  )
}

/** The seal leaves x 40–160, y 88–152 of its 200 × 240 free for words in cream. */
function drawBadge(): string {
  const { ink, slate, cream, sand } = palette
  const scallops = 28
  const rim = Array.from({ length: scallops }, (_, i) => {
    const angle = ((i + 1) / scallops) * 2 * Math.PI
    const x = round(100 + 91 * Math.sin(angle))
    const y = round(100 - 91 * Math.cos(angle))
    return `A13 13 0 0 1 ${x} ${y}`
  }).join('')
  const star = 'l2.6 5.6 6.1.7-4.5 4.2 1.2 6-5.4-3-5.4 3 1.2-6-4.5-4.2 6.1-.7z'
  return svg(
    200,
    240,
    [
      `<path fill="${slate}" d="M52 150l-20 78 28-8 18 20 20-70zM148 150l20 78-28-8-18 20-20-70z"/><path fill="#32454a" d="M84 180l-5 56-1 4 17-60zM116 180l5 56 1 4-17-60z"/>`,
      `<path fill="${ink}" d="M100 9${rim}z"/>`,
      `<g fill="none" stroke="${sand}"><circle cx="100" cy="100" r="82" stroke-width="1.5"/><circle cx="100" cy="100" r="77.5" stroke-opacity=".45" stroke-dasharray="1.5 4" stroke-linecap="round"/></g>`,
      `<path fill="${cream}" transform="translate(78 33) scale(1.375)" d="${mark}"/>`,
      `<path fill="${sand}" d="M76 155${star}M100 158${star}M124 155${star}"/>`,
    ].join(''),
  )
}

function drawMissingShingle(): string {
  const { ink, slate, cream, sand } = palette
  const courseHeight = 22
  const shingle = 34
  const joint = 2
  // Each slope is drawn flat and skewed to 4:12; y counts courses from the ridge.
  const place = (column: number, course: number) => {
    const shift = course % 2 ? -(shingle + joint) / 2 : 0
    return `M${column * (shingle + joint) + shift + joint / 2} ${course * courseHeight + courseHeight / 2}h${shingle}`
  }
  const courses = [0, 1, 2, 3, 4]
  const slope = (light: [number, number][], pale: [number, number][], hole = '') =>
    [
      `<path fill="${ink}" d="M0 0h216v110H0z"/>`,
      `<g fill="none" stroke-width="${courseHeight - joint}">`,
      ...[0, 1].map(
        (odd) =>
          `<path stroke="${slate}" stroke-dasharray="${shingle} ${joint}" stroke-dashoffset="${odd ? 17 : -1}" d="${courses
            .filter((course) => course % 2 === odd)
            .map((course) => `M0 ${course * courseHeight + 11}h216`)
            .join('')}"/>`,
      ),
      `<path stroke="#4d666b" d="${light.map(([column, course]) => place(column, course)).join('')}"/>`,
      `<path stroke="#5f7779" d="${pale.map(([column, course]) => place(column, course)).join('')}"/>`,
      hole,
      '</g>',
    ].join('')
  const left = slope(
    [
      [1, 0],
      [4, 0],
      [3, 1],
      [5, 1],
      [0, 2],
      [2, 2],
      [4, 3],
      [1, 3],
      [3, 4],
      [5, 4],
    ],
    [
      [3, 0],
      [2, 1],
      [5, 2],
      [2, 3],
      [1, 4],
    ],
  )
  const hole = `<path stroke="#d39b68" d="${place(3, 2)}"/><path stroke="${ink}" stroke-width="2.5" stroke-linecap="round" d="M114 50h0m11 0h0m11 0h0"/>`
  const right = slope(
    [
      [0, 0],
      [3, 0],
      [2, 1],
      [5, 1],
      [1, 2],
      [5, 3],
      [1, 3],
      [0, 4],
      [4, 4],
    ],
    [
      [5, 0],
      [4, 1],
      [4, 2],
      [2, 3],
      [2, 4],
    ],
    hole,
  )
  return svg(
    480,
    320,
    [
      '<circle cx="372" cy="86" r="54" fill="#f3dcae"/>',
      // chimney
      '<path fill="#a2583a" d="M112 34h40v80h-40z"/><path fill="#8a4930" d="M138 34h14v80h-14z"/>',
      `<path fill="${sand}" d="M107 26h50v10h-50z"/>`,
      // wall, siding, window
      `<path fill="${sand}" d="M66 210l174-58 174 58v94H66z"/>`,
      '<path stroke="#dccfb8" stroke-width="2" d="M66 226h348M66 244h348M66 262h348M66 280h348"/>',
      `<path fill="#c9bb9f" d="M66 215l174-58 174 58v16l-174-58-174 58z"/>`,
      `<path fill="${cream}" d="M206 222h68v66h-68z"/><path fill="${slate}" d="M212 228h25v24h-25zM243 228h25v24h-25zM212 258h25v24h-25zM243 258h25v24h-25z"/>`,
      // ground
      `<path stroke="${slate}" stroke-width="4" stroke-linecap="round" d="M14 305h452"/>`,
      `<g transform="translate(240 44)"><g transform="matrix(-1 .3333 0 1 0 0)">${left}</g>`,
      `<g transform="matrix(1 .3333 0 1 0 0)">${right}</g>`,
      // fascia, ridge cap
      `<path fill="${cream}" stroke="#d8cbb3" d="M0 110l216 72v9L0 119l-216 72v-9z"/>`,
      `<path fill="none" stroke="${ink}" stroke-width="7" stroke-linecap="round" stroke-linejoin="round" d="M-30 8L0-2 30 8"/></g>`,
      // the shingle that fell
      '<path fill="#5f7779" d="M418 291h34l12 9h-34z"/><path fill="#4d666b" d="M418 291l12 9h34v3h-35l-11-8z"/>',
    ].join(''),
  )
}

export async function makeDrawings(targetDir: string, publicDir: string) {
  await writeFile(`${targetDir}/logo-mark.svg`, drawLogoMark())
  await writeFile(`${targetDir}/badge.svg`, drawBadge())
  await writeFile(`${targetDir}/missing-shingle.svg`, drawMissingShingle())
  await writeFile(`${publicDir}/favicon.svg`, drawTile(32, 7))
}
