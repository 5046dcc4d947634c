import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { formatCsv, readPages } from '#leads/reports/csv.ts'
import { computeDeliveryState } from '#leads/reports/describe.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { explainSource } from '#leads/source.ts'
import type { LeadRecord } from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import { count, makeSafeJson } from './terminal.ts'

/** Writes all leads to the file, or to stdout if none is named. */
export async function exportLeads(
  { file, json, force }: { file: string | undefined; json: boolean; force: boolean },
  { db, timeZone, stdout }: { db: Database; timeZone: string; stdout: (text: string) => void },
): Promise<void> {
  let leads = 0
  async function* readAndCount() {
    for await (const page of readPages(db)) {
      leads += page.length
      yield page
    }
  }
  const isJson = json || file?.endsWith('.json')
  const texts = isJson ? formatJson(readAndCount()) : formatCsv(readAndCount(), timeZone)
  if (file) {
    await writeNewFile(file, texts, force)
    stdout(`Wrote ${count(leads, 'lead')} to ${makeSafe(file)}.\n`)
  } else for await (const text of texts) stdout(text)
}

/** Formats an array with one lead per line. */
async function* formatJson(pages: AsyncIterable<LeadRecord[]>): AsyncGenerator<string> {
  let separator = ''
  yield '['
  for await (const page of pages)
    for (const lead of page) {
      yield `${separator}\n${makeSafeJson(toJson(lead))}`
      separator = ','
    }
  yield '\n]\n'
}

const toJson = ({ deliveries, events, source, ...lead }: LeadRecord) => ({
  ...formatTimes(lead),
  source: explainSource(source),
  events: events.map(({ leadId: _, at, ...event }) => formatTimes({ happenedAt: at, ...event })),
  deliveries: deliveries.map((delivery) =>
    formatTimes({
      ...delivery,
      state: computeDeliveryState(delivery),
      nextAttemptAt: delivery.state === 'waiting' ? delivery.nextAttemptAt : null,
    }),
  ),
})

/** Formats every field whose name ends in "At", because only timestamps do. */
const formatTimes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isTime = name.endsWith('At') && value !== null
      return [name, isTime ? new Date(value).toISOString() : value]
    }),
  )

/** Writes the whole file or nothing. Only its owner can read it. */
async function writeNewFile(file: string, content: AsyncIterable<string>, force: boolean) {
  const existing = await stat(file).catch(() => undefined)
  if (existing?.isDirectory()) throw new UserError(`${file} is a folder. Enter a file name.`)
  if (existing && !force) throw new UserError(`${file} already exists. Add --force to replace it.`)
  const part = `${file}.part`
  try {
    await writeFile(part, content, { mode: 0o600 })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    const { message } = error as Error
    throw new UserError(
      `Could not write ${resolve(file)} (${message}). Choose a folder that you have permission to write to.`,
    )
  }
}
