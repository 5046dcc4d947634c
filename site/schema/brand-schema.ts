import * as v from 'valibot'
import { choice, fact, group, mustMatch } from './rules.ts'

const color = mustMatch(/^#[0-9a-f]{6}$/i, () => "must be a color such as '#1b2326'.")

export const brandSchema = group({
  colors: group({ ink: color, paper: color, accent: color }),
  corners: choice('square', 'soft', 'round'),
  emergencyPicture: v.exactOptional(choice('night', 'none')),
  headingFont: v.exactOptional(
    group({
      family: fact,
      file: mustMatch(/^[\w.-]+\.woff2$/, () => 'must be a .woff2 file in site/brand/.'),
    }),
  ),
})

export type Brand = v.InferOutput<typeof brandSchema>
