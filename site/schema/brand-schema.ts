import type * as v from 'valibot'
import { choice, group, mustMatch } from './rules.ts'

const color = mustMatch(/^#[0-9a-f]{6}$/i, () => "must be a color such as '#1b2326'.")

export const brandSchema = group({
  colors: group({ ink: color, paper: color, accent: color }),
  corners: choice('square', 'soft', 'round'),
})

export type Brand = v.InferOutput<typeof brandSchema>
