import type { Brand } from '../build/check-content.ts'

/**
 * The brand, except for its text (site/content.ts). This folder also has logo.svg (one color) and the
 * pictures hero and about (.jpg, .png, or .webp, straight from any camera). Phones show the middle of
 * hero unless there is a hero-portrait. After each change, run: npm run brand
 */
export const brand: Brand = {
  colors: {
    /** Text, dark bands, the footer. */
    ink: '#1b2326',
    /** The page's background. */
    paper: '#faf6ee',
    /** Buttons and links. */
    accent: '#b4501e',
  },
  /** square, soft, or round */
  corners: 'soft',
  // A font in this folder for headings:
  // headingFont: { family: 'My Grotesque', file: 'my-grotesque.woff2' },
}
