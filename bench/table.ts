export type Table = { title: string; head: readonly string[]; rows: readonly (readonly string[])[] }

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[middle]]
  return (low + high) / 2
}

/** Markdown, aligned so that it reads in a terminal too. */
export function formatTable({ title, head, rows }: Table): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return `### ${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}\n`
}

export const formatMs = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`)
export const formatRatio = (ratio: number) => ratio.toFixed(2)
export const formatBytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
export const formatRate = (perSecond: number) => `${Math.round(perSecond)}/s`
