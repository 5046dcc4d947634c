import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { benchPage } from './page.ts'
import { benchSubmit } from './submit.ts'
import { formatTable, type Table } from './table.ts'

const parts: Record<string, () => Promise<Table[]>> = {
  page: benchPage,
  submit: benchSubmit,
}

const args = process.argv.slice(2)
const save = args.includes('--save')
const asked = args.filter((arg) => arg !== '--save')
const unknown = asked.find((arg) => !parts[arg])
if (unknown) {
  process.stderr.write(`There is no '${unknown}': ${Object.keys(parts).join(', ')}, --save.\n`)
  process.exit(1)
}

if (save && asked.length > 0) {
  process.stderr.write('--save keeps a whole run: leave out the names of parts.\n')
  process.exit(1)
}

let results = ''
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  for (const table of await run()) {
    const text = `${formatTable(table)}\n`
    process.stdout.write(text)
    results += text
  }
}

if (save) {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.versions.node}`
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(
    join(import.meta.dirname, 'results.md'),
    `# Benchmark results\n\n${date}, ${machine}. Made by \`npm run bench -- --save\`.\n\n${results.trimEnd()}\n`,
  )
}
