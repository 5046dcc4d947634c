import type { Brand } from '../build/palette.ts'

/**
 * What makes the site somebody's, beside the words (site/content.ts). In this folder: logo.svg (one color:
 * light and dark are made of it), and the pictures hero and about (.jpg, .png or .webp, from any camera);
 * hero-portrait only if phones shall show another than the middle of hero. Then: npm run brand
 */
export const brand: Brand = {
  colors: {
    /** Text, dark bands, the footer. */
    ink: '#1b2326',
    /** The page's background. */
    paper: '#faf6ee',
    /** What can be pressed. */
    accent: '#b4501e',
  },
  /** square, soft or round */
  corners: 'soft',
  // headingFont: { family: 'My Grotesque', file: 'my-grotesque.woff2' },
}
