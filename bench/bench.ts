// The page and the submit beside the least there could be; the desk over many leads.
//   npm run bench -- [page | submit | desk | ring | --save, which keeps all in results.md]
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { benchDesk } from './desk.ts'
import { benchPage } from './page.ts'
import { formatTable, say } from './report.ts'
import { benchRing } from './ring.ts'
import { benchSubmit } from './submit.ts'

const parts = { page: benchPage, submit: benchSubmit, desk: benchDesk, ring: benchRing }
const [asked] = process.argv.slice(2)
if (asked && asked !== '--save' && !(asked in parts)) throw new Error(`There is no '${asked}'.`)

let results = ''
for (const [name, run] of Object.entries(parts)) {
  if (asked && asked !== '--save' && asked !== name) continue
  for (const table of await run()) {
    const text = formatTable(table)
    say(text)
    results += `${text}\n`
  }
}

if (asked === '--save') {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.versions.node}`
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(
    join(import.meta.dirname, 'results.md'),
    `# Benchmark results\n\n${date}, ${machine}. Made by \`npm run bench -- --save\`.\n\n${results.trimEnd()}\n`,
  )
}
