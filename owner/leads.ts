import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { openLeads } from './open-leads.ts'
import { runLeads } from './run-leads.ts'

// `npm run leads | head` closes the pipe early; that is no error.
process.stdout.on('error', () => process.exit(0))
const atTerminal = process.stdin.isTTY && process.stdout.isTTY
process.exitCode = await runLeads(process.argv.slice(2), {
  open: () => openLeads(process.env),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  ask: atTerminal ? askAtTerminal : undefined,
  fetch,
  pause,
  now: Date.now,
})

async function askAtTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
