import type { Brand } from '../schema/brand-schema.ts'

/**
 * The brand's colors and corners. Its wording is in site/content.ts. This folder also has logo.svg, which must have
 * one color, and the pictures as .jpg, .png, or .webp files, at the camera's full size. After each change, run:
 * npm run brand
 *   hero, about        required
 *   hero-portrait      optional; has sky in its upper half. Without it, phones and tablets show the middle of hero
 *   service-repairs …  optional; one for each card under services in site/content.ts
 *   night              optional; shown behind the emergency section
 */
export const brand: Brand = {
  colors: {
    /** Text, dark sections, and the footer. */
    ink: '#1b2326',
    /** The page's background. */
    paper: '#faf6ee',
    /** Buttons and links. */
    accent: '#b4501e',
  },
  /** 'square', 'soft', or 'round' */
  corners: 'soft',
}
