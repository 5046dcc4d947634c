import { writeCsv } from '#leads/desk/csv-file.ts'
import { makeSafe } from '#leads/safe-text.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { writeNewFile } from './new-file.ts'
import { count } from './terminal.ts'

export async function exportLeads(
  { target: file, force }: Command,
  { db }: Deps,
): Promise<Outcome> {
  let leads = 0
  const lines = writeCsv(db, {}, (some) => {
    leads += some
  })
  // Only the owner may read it.
  await writeNewFile(file, lines, { force, mode: 0o600 })
  return {
    json: { file, leads },
    text: `${count(leads, 'lead')} written to ${makeSafe(file)}.\n`,
  }
}
