import { brand } from '../brand/brand.ts'
import { computePalette, roundness } from './palette.ts'

/** What mails and the answer page wear: leads/look.ts says what they ask for. */
export const look = { ...computePalette(brand), roundness: roundness[brand.corners] }
