import { isDeepStrictEqual } from 'node:util'
import { formatDay } from '#leads/clock.ts'
import { findPublished } from '#leads/store/page-versions.ts'
import type { Database } from '#leads/store/tables.ts'
import * as content from '#site/content.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { complete } from '#site/schema/draft.ts'
import { makeSafeJson } from './terminal.ts'

/** Formats the entries of the published page that differ from site/content.ts, in the form of that file. */
export async function formatPublishedPage(db: Database): Promise<string> {
  const file: Record<string, unknown> & Content = { ...content }
  const published = await findPublished(db)
  if (!published)
    return '// Nothing has been published on the desk. The page is built from site/content.ts.\n'
  const entries = Object.entries(complete(published.content, file) as object)
  const changed = entries.filter(([name, value]) => !isDeepStrictEqual(value, file[name]))
  if (changed.length === 0) return '// The published page and site/content.ts are the same.\n'
  const day = formatDay(published.publishedAt ?? 0, file.hours.timeZone)
  return [
    `// Version ${published.number}, published ${day}. Replace the entries with the same names in site/content.ts.`,
    ...changed.map(
      ([name, value]) => `export const ${name}: Content['${name}'] = ${formatValue(value)}`,
    ),
  ]
    .map((text) => `${text}\n`)
    .join('\n')
}

const lineWidth = 100

/** Formats plain data as TypeScript, like `npm run fix` does. */
export function formatValue(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => formatValue(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${/^\w+$/.test(name) ? name : quote(name)}: ${formatValue(item, inner)}`,
      )
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (items.length === 0) return open + close
  if (!line.includes('\n') && indent.length + line.length < lineWidth / 2) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

const quote = (text: string) =>
  `'${makeSafeJson(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
