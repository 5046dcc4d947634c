import { readFileSync } from 'node:fs'

export const say = (text: string) => process.stdout.write(`${text}\n`)

/** The numbers that the command was given, and for the rest the usual ones. */
export function readNumbers<Usual extends number[]>(...usual: Usual): Usual {
  const given = process.argv.slice(2).map(Number)
  if (given.length > usual.length || !given.every((number) => number >= 0))
    throw new Error(`This takes up to ${usual.length} numbers.`)
  return usual.map((number, at) => given[at] ?? number) as Usual
}

/** Shows the first of them; the command then ends with 1. */
export function sayFaults(faults: Iterable<string | undefined>): void {
  for (const fault of [...faults].filter(Boolean).slice(0, 20)) {
    say(`  FAULT: ${fault}`)
    process.exitCode = 1
  }
}

export type Table = { title: string; head: readonly string[]; rows: readonly (readonly string[])[] }

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

/** Of the values in their order, the one that so great a part of them does not exceed. */
export const findQuantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN
export const median = (values: readonly number[]) => findQuantile(values, 0.5)

export const formatMs = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`)
export const formatMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
export const formatCounts = (counts: ReadonlyMap<string | number, number>) =>
  [...counts]
    .sort()
    .map(([what, n]) => `${what}: ${n}`)
    .join(', ')

export const countOne = <Key>(counts: Map<Key, number>, key: Key) =>
  counts.set(key, (counts.get(key) ?? 0) + 1)

/** The memory of a process, now. */
export const readResidentBytes = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)?.[1]) * 1024

/** Flat: what grows with every request would be far more than this after so many. */
export function findGrowth([before = 0, ...later]: readonly number[]): string | undefined {
  const after = later.at(-1) ?? 0
  if (after > before * 1.2 + 20 * 1024 * 1024)
    return `memory grew from ${formatMegabytes(before)} to ${formatMegabytes(after)}`
}
