import { createHash } from 'node:crypto'

/** SHA-256. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
