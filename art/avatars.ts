import { writeFile } from 'node:fs/promises'

type Skin = { base: string; shade: string; lips: string }
type Person = {
  backdrop: string
  skin: Skin
  hair: string
  style: Style
  top: [cut: keyof typeof cuts, colour: string]
  brows?: string
  beard?: keyof typeof beards
  glasses?: string
  earrings?: string
  older?: true
  grin?: true
}
// Hair behind the head, then hair (or cloth) in front of it. Drawn in `fill`, the person's hair colour.
type Style = { back?: string; front: string; hidesEars?: true }

type Cut = { skin: string; under?: string; over?: string }

const backdrops = {
  sand: '#efe6d6',
  clay: '#f0d6c4',
  mist: '#d2dddc',
  sky: '#cbdce5',
  sage: '#d8dfc9',
  straw: '#f2e2bb',
}

const skins = {
  porcelain: { base: '#f7d7c4', shade: '#e8b79d', lips: '#c0564b' },
  peach: { base: '#efc3a2', shade: '#dba27c', lips: '#b54f42' },
  olive: { base: '#dca87f', shade: '#c28a60', lips: '#a4473a' },
  amber: { base: '#bd8458', shade: '#9f6a42', lips: '#8a382e' },
  brown: { base: '#935f3f', shade: '#774a2f', lips: '#6d2a24' },
  umber: { base: '#6e4631', shade: '#553423', lips: '#4a1f1c' },
}

const hair = {
  black: '#221d1e',
  espresso: '#3b2820',
  chestnut: '#6a3f26',
  auburn: '#8d4424',
  copper: '#b9622f',
  sandy: '#b98a4e',
  blond: '#dcb673',
  steel: '#8b8f90',
  silver: '#ccc',
  white: '#ebe8e1',
}

// Close enough for a face to read at 44 px, wide enough for a round crop to keep all hair.
const frame = '6 4 52 52'
const head =
  'M20.5 26c0-8.5 4.8-13 11.5-13s11.5 4.5 11.5 13c0 9.5-5.5 15.8-11.5 15.8s-11.5-6.3-11.5-15.8z'
const neck = 'M27 36h10v12c-2 3-8 3-10 0z'
const chinShadow = 'M27 40q5 4 10 0v2q-5 5-10 0'
const ears = 'M21.5 31.2a2.6 2.6 0 1 1 0-5.2zM42.5 26a2.6 2.6 0 1 1 0 5.2z'
const laughLines = 'M25.6 33.4l-.8 1.8m14.4 0l-.8-1.8'
const spectacles =
  'M27.3 23.8a3.7 3.7 0 1 0 .1 0zm9.4 0a3.7 3.7 0 1 0 .1 0zM31 27q1-1 2 0m-9.4 0l-3-1m20 1l3-1'
const shoulders = 'M7 64c0-11 8.5-15.5 25-15.5S57 53 57 64'

// The skin that shows below the neck, and cloth of a second colour under or over it.
const cuts: Record<'closed' | 'crew' | 'vee' | 'shirt' | 'jacket', Cut> = {
  closed: { skin: '' },
  crew: { skin: 'M38 48.5c-1.5 4.5-10.5 4.5-12 0l6-2z' },
  vee: { skin: 'M38 48.5l-6 8-6-8 6-2z' },
  shirt: {
    skin: 'M37 47l-5 7-5-7z',
    over: 'M27 45l-3 4 5 7.5 3-3.5 3 3.5 5-7.5-3-4q-.5 5-5 7.5-4.5-2.5-5-7.5z',
  },
  jacket: { skin: 'M37 47c-1 4.5-9 4.5-10 0z', under: 'M26 48.5l6 13.5 6-13.5z' },
}

const beards = {
  full: 'M20.5 26c1 3 1.5 6 3.2 7 1.8-1.7 4.3-2 8.3-2s6.5.3 8.3 2c1.7-1 2.2-4 3.2-7 .3 11-4.5 18-11.5 18s-11.8-7-11.5-18z',
  trimmed:
    'M20.6 27.5c1 3.5 2 5.5 3.7 6.3 2-2 4.4-2.3 7.7-2.3s5.7.3 7.7 2.3c1.7-.8 2.7-2.8 3.7-6.3-.2 9-5.2 14.8-11.4 14.8s-11.2-5.8-11.4-14.8z',
  moustache:
    'M26.5 35.3c1-2.8 3.5-3.6 5.5-2.7 2-.9 4.5-.1 5.5 2.7-2 .6-4 .3-5.5-.5-1.5.8-3.5 1.1-5.5.5z',
  goatee: 'M27 35c.5-3 3-3.3 5-2.8 2-.5 4.5-.2 5 2.8.8 4-1.5 7.6-5 7.6s-5.8-3.6-5-7.6z',
}

const styles = {
  long: {
    hidesEars: true,
    back: 'M32 9.5c-9.5 0-14 6-14 15 0 11-1.5 18-3.5 25 5 3 30 3 35 0-2-7-3.5-14-3.5-25 0-9-4.5-15-14-15z',
    front:
      'M32 14c-2 6-6.5 8.5-11 10.5-.5 2-.8 4-1.5 6-2.5-12 3-20 12.5-20s15 8 12.5 20c-.7-2-1-4-1.5-6C38.5 22.5 34 20 32 14z',
  },
  bob: {
    hidesEars: true,
    back: 'M32 9.5c-10 0-14.5 6.5-14.5 15 0 6.5-.5 11-2 15.5 5 4 28 4 33 0-1.5-4.5-2-9-2-15.5 0-8.5-4.5-15-14.5-15z',
    front:
      'M38 14.5c-3 5-10 8-16.5 9-.8 2-1 4-1.5 7-3-12 2.5-20 12-20 10 0 15.5 8 12.5 20-.8-5-2.5-11.5-6.5-16z',
  },
  bun: {
    back: 'M32 4.5a5.5 5.5 0 1 0 .1 0z',
    front:
      'M20 29c-2.5-11 2.5-18.5 12-18.5S46.5 18 44 29c-1-2-1.2-4.5-2-6.5-3.5-1-7-3-10-6-3 3-6.5 5-10 6-.8 2-1 4.5-2 6.5z',
  },
  afro: {
    back: 'M32 4.5c5-1 9 1.5 11 4.5 4 1 6.5 4.5 6.5 8.5 2 3 2 7 0 10 .5 4-2 7.5-5.5 8.5H20c-3.5-1-6-4.5-5.5-8.5-2-3-2-7 0-10 0-4 2.5-7.5 6.5-8.5 2-3 6-5.5 11-4.5z',
    front:
      'M20 28c-1.5-9 1-17 12-17s13.5 8 12 17q-1-2-1.7-5-2.8 0-3.8-2.5-2.5 1.2-4.5-.7-2 1.7-4 0-2 1.9-4.5.7-1 2.5-3.8 2.5-.7 3-1.7 5z',
  },
  ponytail: {
    back: 'M41 11c7 0 11 5 10.5 13-.4 7-1 11 2 17-6 0-10.5-4-11-12z',
    front:
      'M19.8 29c-2.8-11 2.7-18.5 12.2-18.5S46.8 18 44.2 29c-1-2-1.2-4-1.7-6C35 22.5 29 20 26 16.5c-1 3-2.5 5-4.5 6.5-.5 2-.7 4-1.7 6z',
  },
  wavy: {
    hidesEars: true,
    back: 'M33 9c-9-.5-15 5-15 13 0 5-3.5 7-3.5 12s2.5 6 1.5 11c5 5.5 27 5.5 32 0-1-5 1.5-6 1.5-11s-3.5-7-3.5-12c0-8-5-12.5-13-13z',
    front:
      'M27 14c4 5.5 10 8 15.5 9.5.7 2 1 4 1.5 6.5 3-12-2.5-19.8-12-19.8S17 18 20 30c.8-6 3-12 7-16z',
  },
  pixie: {
    front:
      'M19.6 29c-3.6-11 1.4-19.5 12.4-19.5 11.5 0 15.5 9 12.4 19.5-1-1.5-1.5-3.5-1.9-6-4 .5-7.5-.5-10-3-3 3-7 4.3-11 4-.4 2-.9 3.5-1.9 5z',
  },
  scarf: {
    hidesEars: true,
    back: 'M32 8c-11 0-15.5 7.5-15.5 17.5 0 9-2 14-5 20 4 7 37 7 41 0-3-6-5-11-5-20C47.5 15.5 43 8 32 8z',
    front:
      'M32 8c-9.5 0-15 7-15 17.5C17 39 22 48 32 50c10-2 15-11 15-24.5C47 15 41.5 8 32 8zm0 8.5c6.5 0 10 4 10 10.5 0 8-4.5 14.3-10 14.3S22 35 22 27c0-6.5 3.5-10.5 10-10.5z',
  },
  braids: {
    back: 'M19 24c-3 4-4 8-3 12-1.5 3-1.5 6 0 9-1 3-.5 6 1.5 9 3.5-2 5-5 4-8.5 1.5-3 1.5-6 0-9l1-9zM45 24c3 4 4 8 3 12 1.5 3 1.5 6 0 9 1 3 .5 6-1.5 9-3.5-2-5-5-4-8.5-1.5-3-1.5-6 0-9l-1-9z',
    front:
      'M32 13c-1.5 5-6 8.5-11 10-.6 2.5-.6 5-1.5 7-3-11.5 2.5-19.5 12.5-19.5s15.5 8 12.5 19.5c-.9-2-.9-4.5-1.5-7-5-1.5-9.5-5-11-10z',
  },
  fringe: {
    hidesEars: true,
    back: 'M32 9.5c-10 0-14 6.5-14 15.5 0 9 .5 14-1.5 20 5 3 26 3 31 0-2-6-1.5-11-1.5-20 0-9-4-15.5-14-15.5z',
    front:
      'M19.5 32c-3-13 2.5-21.5 12.5-21.5S47.5 19 44.5 32c-1-3-1.5-5.5-2-8.5-7 .8-14 .8-21 0-.5 3-1 5.5-2 8.5z',
  },
  side: {
    front:
      'M20 27.5C17.5 16 22 9.5 32.5 9.5S46.5 16 44 27.5c-1-1.3-1.5-3.3-1.9-5.5-6 .3-12-1.5-15.1-4.5-1 2.5-3 4-4.8 5-.4 2-1.2 3.7-2.2 5z',
  },
  buzz: {
    front:
      'M20.4 25.5C19.5 16.5 24 11.8 32 11.8s12.5 4.7 11.6 13.7c-.8-.8-1.2-2-1.4-3.5-.5-2.5-3.7-4-10.2-4S22.3 19.5 21.8 22c-.2 1.5-.6 2.7-1.4 3.5z',
  },
  bald: { front: '' },
  quiff: {
    front:
      'M20 27c-2-7-1.5-12 2-14.5C24 8.5 31 6.5 37 8c6.5.5 9.5 7 7 19-1-1.3-1.5-3-1.8-5-2-.5-3.7-2-4.7-4-4 1.5-9.5 1.5-13.5.5-1 1-1.6 2-1.8 3.5-.3 2-1.2 3.7-2.2 5z',
  },
  curls: {
    front:
      'M20.2 26.5c-2.7-3-2.7-6.5-.7-9-.5-3.5 2-6.5 5-6.5 1.5-3 5.5-4 8-2.5 3-1.5 6.5-.3 7.7 2.3 3.3.2 5.3 3.2 4.8 6.5 1.7 2.7 1.5 6.2-1.2 9.2-.8-1.2-1.2-2.7-1.5-4.5-2 .3-3.5-.7-4.3-2.3-1.8 1.3-3.5 1-4.8-.4-1.3 1.5-3.2 1.7-4.7.4-1 1.6-3 2.5-5 2-.4 1.9-1.3 3.6-3.3 4.8z',
  },
  receding: {
    front:
      'M20.2 28c-2-6-1.5-11.5 4.3-14.5.7 1.5-.7 3-1.5 5-.9 2.5-1.1 6-2.8 9.5zM43.8 28c2-6 1.5-11.5-4.3-14.5-.7 1.5.7 3 1.5 5 .9 2.5 1.1 6 2.8 9.5z',
  },
  turban: {
    front:
      'M19.5 24.5C16 13 22 5.5 32 5.5S48 13 44.5 24.5C41.5 20.5 37 18 32 15.5c-5 2.5-9.5 5-12.5 9z',
  },
  crop: {
    front:
      'M20.2 27.5c-2.7-10 .8-18 11.8-18s14.5 8 11.8 18c-.9-1.3-1.4-3-1.6-5-2-.5-4-1.5-5.2-3-2 1-4 1.2-5.5.5-2.5 1.7-6 2.5-9.7 2.5-.2 2-.7 3.7-1.6 5z',
  },
  cap: {
    front:
      'M19.8 22C18.3 13 23.5 8.5 32 8.5s13.7 4.5 12.2 13.5c4 .5 6.8 1.5 8.3 3-6 .3-10.5-1.5-20.5-1.5-6 0-9.2.5-12.2-1.5z',
  },
  crown: {
    front:
      'M20.5 29.5c-3.5-1-4.5-6.5-2.5-10.5 1-2 2.7-2.5 3.5-1.5.5 4 .3 8.5-1 12zM43.5 29.5c3.5-1 4.5-6.5 2.5-10.5-1-2-2.7-2.5-3.5-1.5-.5 4-.3 8.5 1 12z',
  },
} satisfies Record<string, Style>

const linen = '#f8f4ec'
const { sand, clay, mist, sky, sage, straw } = backdrops
const { porcelain, peach, olive, amber, brown, umber } = skins

// Women have the odd numbers, men the even ones.
const people: Person[] = [
  {
    backdrop: sand,
    skin: peach,
    hair: hair.chestnut,
    style: styles.long,
    top: ['crew', '#56727a'],
  },
  {
    backdrop: mist,
    skin: porcelain,
    hair: hair.sandy,
    style: styles.side,
    top: ['shirt', '#3f5458'],
    grin: true,
  },
  {
    backdrop: clay,
    skin: umber,
    hair: hair.black,
    style: styles.afro,
    top: ['vee', '#d3a14a'],
    earrings: '#f0d38c',
    grin: true,
  },
  {
    backdrop: straw,
    skin: amber,
    hair: hair.black,
    style: styles.quiff,
    top: ['crew', '#7c4a3a'],
    beard: 'trimmed',
    grin: true,
  },
  {
    backdrop: sky,
    skin: porcelain,
    hair: hair.white,
    style: styles.pixie,
    top: ['jacket', '#8a6470'],
    brows: '#a9a49c',
    glasses: '#5a4a44',
    older: true,
  },
  {
    backdrop: sage,
    skin: brown,
    hair: hair.black,
    style: styles.buzz,
    top: ['shirt', '#86a0ad'],
    beard: 'goatee',
    grin: true,
  },
  {
    backdrop: straw,
    skin: olive,
    hair: '#4f7078',
    style: styles.scarf,
    top: ['closed', '#40595f'],
    brows: hair.espresso,
    grin: true,
  },
  {
    backdrop: clay,
    skin: peach,
    hair: hair.silver,
    style: styles.crown,
    top: ['shirt', '#566a55'],
    brows: '#bbb',
    glasses: '#333',
    older: true,
    grin: true,
  },
  {
    backdrop: mist,
    skin: porcelain,
    hair: hair.copper,
    style: styles.wavy,
    top: ['vee', '#5f7a5c'],
  },
  {
    backdrop: sand,
    skin: peach,
    hair: hair.auburn,
    style: styles.crop,
    top: ['crew', '#394b52'],
    beard: 'full',
    grin: true,
  },
  {
    backdrop: sage,
    skin: amber,
    hair: hair.espresso,
    style: styles.bun,
    top: ['crew', '#b96f52'],
    earrings: '#f3e3bd',
    grin: true,
  },
  {
    backdrop: sky,
    skin: olive,
    hair: '#b1613a',
    style: styles.turban,
    top: ['jacket', '#2f3f45'],
    beard: 'full',
    brows: hair.black,
    grin: true,
  },
  {
    backdrop: clay,
    skin: peach,
    hair: hair.black,
    style: styles.fringe,
    top: ['shirt', '#6d8791'],
    glasses: '#333',
  },
  {
    backdrop: sand,
    skin: umber,
    hair: hair.black,
    style: styles.bald,
    top: ['crew', '#8d9b6f'],
    beard: 'trimmed',
    grin: true,
  },
  {
    backdrop: sky,
    skin: brown,
    hair: hair.espresso,
    style: styles.braids,
    top: ['crew', '#e6ddca'],
    grin: true,
  },
  {
    backdrop: straw,
    skin: porcelain,
    hair: hair.steel,
    style: styles.receding,
    top: ['shirt', '#4d6a80'],
    beard: 'moustache',
    older: true,
  },
  {
    backdrop: mist,
    skin: olive,
    hair: hair.steel,
    style: styles.bob,
    top: ['jacket', '#4a5d63'],
    older: true,
    earrings: '#faf6ee',
  },
  {
    backdrop: clay,
    skin: olive,
    hair: hair.espresso,
    style: styles.curls,
    top: ['crew', '#f4ede0'],
    grin: true,
  },
  {
    backdrop: sage,
    skin: porcelain,
    hair: hair.blond,
    style: styles.ponytail,
    top: ['vee', '#7b5c67'],
    brows: '#a9813f',
    grin: true,
  },
  {
    backdrop: sand,
    skin: amber,
    hair: '#3f5458',
    style: styles.cap,
    top: ['shirt', '#a9623d'],
    brows: hair.black,
  },
]

function drawPerson(person: Person): string {
  const {
    backdrop,
    skin,
    hair,
    style,
    brows = hair,
    beard,
    glasses,
    earrings,
    older,
    grin,
  } = person
  const [cutName, cloth] = person.top
  const cut = cuts[cutName]
  const fill = (colour: string, path: string) =>
    `<path fill="${colour}" d="${path.replace(/z$/, '')}"/>`
  const line = (colour: string, path: string, width = '') =>
    `<path stroke="${colour}"${width && ` stroke-width="${width}"`} d="${path}"/>`
  const parts = [
    fill(backdrop, 'M0 0h64v64H0'),
    style.back && fill(hair, style.back),
    fill(cloth, shoulders),
    cut.under && fill(linen, cut.under),
    fill(skin.base, cut.skin + neck + head + (style.hidesEars ? '' : ears)),
    fill(skin.shade, chinShadow),
    cut.over && fill(linen, cut.over),
    beard && fill(brows, beards[beard]),
    style.front && fill(hair, style.front),
    grin && fill('#fff', 'M28 34.8h8q-.5 3.7-4 3.7t-4-3.7z'),
    !grin && line(skin.lips, 'M28.5 35.8q3.5 2.8 7 0'),
    line(brows, 'M25.2 24.3q2-1.3 3.9-.2m5.8 0q1.9-1.1 3.9.2'),
    line(skin.shade, `M32 28.5c.8 1.5 1 2.5.3 3.3h-1.3${older ? laughLines : ''}`),
    glasses && line(glasses, spectacles),
    line('#222', 'M27.3 27.5h0m9.4 0h0', '2.6'),
    earrings && line(earrings, 'M20 32.3h0m24 0h0', '3'),
  ]
  const drawing = parts.filter((part) => typeof part === 'string').join('')
  // Decorative: the page that shows the picture names the person.
  return `<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" width="64" height="64" viewBox="${frame}" fill="none" stroke-width="1.2" stroke-linecap="round">${drawing}</svg>\n`
}

export async function makeAvatars(targetDir: string) {
  for (const [index, person] of people.entries()) {
    const number = String(index + 1).padStart(2, '0')
    await writeFile(`${targetDir}/${number}.svg`, drawPerson(person))
  }
}
