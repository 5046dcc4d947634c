/** The result of a benchmark: a table, and any failures. Failures make the command exit with 1. */
export type Report = {
  title: string
  head: readonly string[]
  rows: readonly (readonly (string | number)[])[]
  failures?: Iterable<string | undefined>
}

export type Options = {
  against: string | undefined
  seed: number
  kills: number
  requests: number
}

/** Formats Markdown with aligned columns, so that it is readable in a terminal, too. */
export function formatReport({ title, head, rows, failures = [] }: Report): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => String(row[column]).length)),
  )
  const line = (cells: readonly (string | number)[]) =>
    `| ${widths.map((width, column) => String(cells[column]).padEnd(width)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const found = [...failures].filter(Boolean).map((failure) => `\nFAILED: ${failure}\n`)
  const table = [line(head), rule, ...rows.map(line)].join('\n')
  return `### ${title}\n\n${table}\n${found.slice(0, 20).join('')}`
}

/** Replaces the section of one benchmark in results.md, or adds it at the end. */
export function mergeResults(file: string, name: string, results: string): string {
  const [intro = '', ...sections] = file.split(/^(?=## )/m)
  const section = `## ${name}\n\n${results}`
  const index = sections.findIndex((earlier) => earlier.startsWith(`## ${name}\n`))
  sections.splice(index < 0 ? sections.length : index, 1, section)
  return [intro, ...sections].map((part) => `${part.trimEnd()}\n`).join('\n')
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

export const formatMs = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`)
export const formatMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
export const formatCounts = (counts: ReadonlyMap<string | number, number>) =>
  [...counts]
    .sort()
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ')

export const countOne = <Key>(counts: Map<Key, number>, key: Key) =>
  counts.set(key, (counts.get(key) ?? 0) + 1)

/** Returns a failure if memory grew by more than 20% plus 20 MB. Smaller growth may not be a leak. */
export function findGrowth([before = 0, ...later]: readonly number[]): string | undefined {
  const after = later.at(-1) ?? 0
  if (after > before * 1.2 + 20 * 1024 * 1024)
    return `memory grew from ${formatMegabytes(before)} to ${formatMegabytes(after)}`
}
