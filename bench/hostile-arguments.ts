import fc from 'fast-check'
import { parseCommand } from '../owner/leads-command.ts'
import { runLeads } from '../owner/run-leads.ts'
import type { Database } from '../supabase/functions/submit-to-airtable/store.ts'

/** What nobody means to type after `npm run leads --`, and what must be true of every answer. */

const names = ['list', 'show', 'export', 'retry', 'erase', 'promise', 'setup-airtable', 'help', '']
const options = [
  '--json',
  '--limit',
  '--days',
  '--from',
  '--to',
  '--yes',
  '--store-only',
  '--',
  '-',
]
const argument = fc.oneof(
  fc.constantFrom(...names, ...options, 'all', '0', '-1', '1e9', 'NaN', '2026-02-30', '%', "'"),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary' }).map((text) => `--${text}`),
  fc.string({ unit: 'binary' }).map((text) => `--limit=${text}`),
)

/** Runs so many command lines; the first that is answered wrongly comes back. */
export async function tryArguments(
  db: Database,
  numRuns: number,
  seed: number,
): Promise<string | undefined> {
  let fault: string | undefined
  const property = fc.asyncProperty(fc.array(argument, { maxLength: 6 }), async (args) => {
    // What is understood as a file's name would be written to.
    if (writesFile(args)) return true
    const found = await findArgumentFault(db, args)
    if (found) fault = `${found}\n${JSON.stringify(args)}`
    return found === undefined
  })
  const { failed } = await fc.check(property, { numRuns, seed })
  return failed ? `the command line, seed ${seed}: ${fault}` : undefined
}

async function findArgumentFault(db: Database, args: string[]): Promise<string | undefined> {
  let said = ''
  const code = await runLeads(args, {
    open: async () => ({ db: { ...db, close: async () => {} }, airtable: undefined }),
    stdout: () => {},
    stderr: (text) => {
      said += text
    },
    fetch: async () => new Response(),
    pause: async () => {},
    now: () => Date.parse('2026-11-15T12:00:00Z'),
  })
  if (![0, 1, 2].includes(code)) return `ended with ${code}`
  if (/node_modules|\.ts:\d|\bat \w+ \(|SQLITE|undefined/.test(said))
    return `shows its insides: ${said}`
  // What was typed may come back, but nothing that moves a terminal's cursor.
  if (/(?!\n)\p{Cc}/u.test(said)) return `says control characters: ${JSON.stringify(said)}`
  if (code === 0 && said !== '') return `is content and complains: ${said}`
  return code !== 0 && said.trim() === '' ? 'refuses without a reason' : undefined
}

function writesFile(args: string[]): boolean {
  try {
    const command = parseCommand(args)
    return command !== 'help' && (command.name === 'export' || command.html !== undefined)
  } catch {
    return false
  }
}
