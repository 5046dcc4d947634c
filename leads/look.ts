/** The company's colors and corners, for mails and the answer page. `npm run brand` writes them. */
export const look = {
  ink: '#1b2326',
  slate: '#3f5458',
  paper: '#faf6ee',
  sand: '#efe6d6',
  accent: '#b4501e',
  accentDeep: '#8f3c12',
  onAccent: '#ffffff',
  link: '#b4501e',
  alarm: '#a31621',
  leaf: '#23613a',
  /** Times the usual radius. */
  roundness: 1,
}
