import { join } from 'node:path'

/** The tests' own builds of the site: the owner's dist/ and settings stay out of them. */
export const siteDir = join(import.meta.dirname, '../test-results/site')
/** The one that knows a key for Google's address suggestions, which is a matter of the build. */
export const siteWithKeyDir = `${siteDir}-with-key`
