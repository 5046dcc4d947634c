import { statuses, statusKinds } from '#leads/statuses.ts'
import { crew, type Shown } from './crew.ts'
import { describeState } from './observed-changes.ts'
import type { People } from './people.ts'

export type DeskView = Awaited<ReturnType<typeof readDesk>>

type Card = Shown & { id: string }

/** Reads what the desk and its export show about each lead, by ID. */
export async function readDesk({ act }: People, leadIds: readonly string[]) {
  const phone = crew[0] as (typeof crew)[number]
  const read = async (method: string, path: string, body?: object) =>
    (await act(phone, method, path, body)) ?? { json: undefined, text: '' }
  const toStates = (cards: readonly Card[]) =>
    new Map(cards.map((card) => [card.id, describeState(card)]))
  const { json: search } = await read('POST', 'search', {})
  const { json: today } = await read('GET', 'today')
  const { text } = await read('POST', 'spreadsheet', {})
  const pages = new Map<string, string>()
  for (const id of leadIds) {
    const { json } = await read('GET', `leads/${id}`)
    if (json?.lead) pages.set(id, describeState(json.lead as Card))
  }
  return {
    pages,
    search: toStates((search?.leads ?? []) as Card[]),
    today: new Set(((today?.leads ?? []) as Card[]).map(({ id }) => id)),
    spreadsheet: readCsv(text),
  }
}

const statusesByLabel = new Map(statusKinds.map((status) => [statuses[status].label, status]))

function readCsv(text: string): Map<string, string> {
  const [head = [], ...lines] = text
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      ),
    )
  const read = (line: readonly string[], name: string) =>
    line[head.findIndex((cell) => cell.startsWith(name))] ?? ''
  return new Map(
    lines.map((line) => [
      read(line, 'Lead ID'),
      describeState({
        // A result such as “Won, $12,500” already contains the status.
        status: (read(line, 'Result') ||
          statusesByLabel.get(read(line, 'Status'))) as Shown['status'],
        calledAt: read(line, 'Called At') ? 1 : null,
        attempts: Number(read(line, 'Calls With No Answer')),
        saleDetails: null,
      }),
    ]),
  )
}
