import { join } from 'node:path'

/** The tests' own build of the site: the owner's dist/ and settings stay out of it. */
export const siteDir = join(import.meta.dirname, '../test-results/site')
