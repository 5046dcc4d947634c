import { isDeepStrictEqual } from 'node:util'
import { formatDay } from '#leads/clock.ts'
import { readPublished } from '#leads/store/page-versions.ts'
import type { Database } from '#leads/store/tables.ts'
import * as content from '#site/content.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { findValid, mergeDraft } from '#site/schema/draft.ts'
import { makeSafeJson } from './terminal.ts'

/** Returns the published page's entries that differ from site/content.ts, as TypeScript that `npm run fix` formats. */
export async function formatPublishedPage(db: Database, now: number): Promise<string> {
  const file: Record<string, unknown> & Content = { ...content }
  const { version: published, fault } = await findValid(readPublished(db), file, now)
  if (!published && fault !== undefined)
    return '// The published page cannot be shown, so visitors see site/content.ts. To see why, run: npm run doctor\n'
  if (!published)
    return '// Nothing has been published on the desk. The page is built from site/content.ts.\n'
  const entries = Object.entries(mergeDraft(published.content, file) as object)
  const changed = entries.filter(([name, value]) => !isDeepStrictEqual(value, file[name]))
  if (changed.length === 0) return '// The published page and site/content.ts are the same.\n'
  const day = formatDay(published.at, file.hours.timeZone)
  return [
    `// Version ${published.number}, published ${day}. Copy these entries over those with the same names in site/content.ts, then run npm run fix.`,
    ...changed.map(
      ([name, value]) => `export const ${name}: Content['${name}'] = ${makeSafeJson(value, 2)}`,
    ),
  ]
    .map((text) => `${text}\n`)
    .join('\n')
}
