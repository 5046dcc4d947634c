import type { Brand } from '../schema/brand-schema.ts'

/**
 * The brand, except for its text (site/content.ts). This folder also has logo.svg (one color) and the
 * pictures (.jpg, .png, or .webp, straight from any camera). After each change, run: npm run brand
 *   hero, about        required
 *   hero-portrait      optional, with sky in its upper half. Without it, phones and tablets show the middle of hero
 *   service-repairs …  optional: the picture of each card under services in site/content.ts
 *   night              optional: behind the emergency call
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
}
