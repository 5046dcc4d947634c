import * as v from 'valibot'
import {
  type AirtableDeps,
  type AirtableSettings,
  type Ask,
  type ColumnName,
  columnNames,
  columns,
  connect,
  type Reply,
  tablePath,
  tokenPage,
} from './airtable.ts'

/** `todo` is what only the owner can do; Airtable is ready when it is empty. */
export type SetupReport = {
  done: string[]
  todo: string[]
  /** What kept us from looking further: token or base as they are in .env, or Airtable itself. */
  hindrance?: 'settings' | 'airtable'
}

const tableSchema = v.object({
  id: v.string(),
  name: v.string(),
  fields: v.array(v.object({ name: v.string(), type: v.string() })),
})
type Table = v.InferOutput<typeof tableSchema>

export const scopes = [
  'data.records:read',
  'data.records:write',
  'schema.bases:read',
  'schema.bases:write',
]

const typeWords: Record<string, string> = {
  singleLineText: 'single line text',
  multilineText: 'long text',
  email: 'email',
  phoneNumber: 'phone number',
  singleSelect: 'single select',
  dateTime: 'date with time',
}

/** A column as a person makes it in Airtable: its name, its type and, for a select, its options. */
function describeColumn(name: ColumnName): string {
  const column = columns[name]
  const choices =
    'options' in column && 'choices' in column.options
      ? `: ${column.options.choices.map((choice) => choice.name).join(', ')}`
      : ''
  return `"${name}" (${typeWords[column.type]}${choices})`
}

const describeField = (name: ColumnName) => {
  const column = columns[name]
  return { name, type: column.type, ...('options' in column && { options: column.options }) }
}

/** Checks token, base, table and columns, and makes what is missing. */
export const setUpAirtable = (settings: AirtableSettings, deps: AirtableDeps) =>
  goThrough(settings, deps, { makes: true })

/** Checks the same and changes nothing: what is missing is to do. */
export const inspectAirtable = (settings: AirtableSettings, deps: AirtableDeps) =>
  goThrough(settings, deps, { makes: false })

async function goThrough(
  settings: AirtableSettings,
  deps: AirtableDeps,
  { makes }: { makes: boolean },
): Promise<SetupReport> {
  const ask = connect(settings, deps)
  const report: SetupReport = { done: [], todo: [] }

  const who = await ask('GET', 'meta/whoami')
  if (who.kind !== 'ok') {
    report.todo.push(describeReply(who))
    report.hindrance = findHindrance(who)
    return report
  }
  report.done.push('Airtable knows the token.')

  const listed = await ask('GET', `meta/bases/${encodeURIComponent(settings.baseId)}/tables`)
  const base = v.safeParse(
    v.object({ tables: v.array(tableSchema) }),
    listed.kind === 'ok' ? listed.body : undefined,
  )
  if (!base.success) {
    report.todo.push(
      listed.kind === 'failed' && (listed.status === 403 || listed.status === 404)
        ? `The token cannot see base ${settings.baseId}. At ${tokenPage} give the token the scopes ${scopes.join(', ')} and access to the base; AIRTABLE_BASE_ID is the part of the base's address that begins with "app".`
        : describeReply(listed),
      ...(makes
        ? [
            `Or make the table by hand: name it "${settings.table}", with the columns ${columnNames.map(describeColumn).join('; ')}.`,
          ]
        : []),
    )
    report.hindrance = findHindrance(listed)
    return report
  }
  report.done.push(`The token can see base ${settings.baseId}.`)

  const { tables } = base.output
  const table = tables.find(({ id, name }) => id === settings.table || name === settings.table)
  if (!makes) inspectTable(table, settings, report)
  else if (table) await completeTable(table, settings, ask, report)
  else await createTable(tables, settings, ask, report)
  if (report.todo.length === 0) await checkWriting(settings, ask, report)
  return report
}

const findHindrance = (reply: Reply) =>
  reply.kind === 'failed' && [401, 403, 404].includes(reply.status ?? 0) ? 'settings' : 'airtable'

const describeReply = (reply: Reply) =>
  reply.kind === 'failed'
    ? reply.error
    : `Airtable's answer makes no sense (${reply.kind === 'refused' ? `422 ${reply.type}` : '200'}).`

const mayNotChangeSchema = (reply: Reply) =>
  reply.kind === 'failed' && (reply.status === 403 || reply.status === 404)
    ? `the token lacks the scope schema.bases:write (add it at ${tokenPage}), or its owner may not change the base`
    : describeReply(reply)

async function createTable(
  tables: Table[],
  { baseId, table }: AirtableSettings,
  ask: Ask,
  report: SetupReport,
) {
  if (/^tbl\w{14}$/.test(table)) {
    const names = tables.map(({ id, name }) => `"${name}" (${id})`).join(', ')
    report.todo.push(
      `The base has no table ${table}. Set AIRTABLE_TABLE to one of ${names || 'its tables'}, or to the name of a table to be made.`,
    )
    return
  }
  const created = await ask('POST', `meta/bases/${encodeURIComponent(baseId)}/tables`, {
    name: table,
    fields: columnNames.map(describeField),
  })
  if (created.kind === 'ok')
    report.done.push(`Made the table "${table}" with ${columnNames.length} columns.`)
  else
    report.todo.push(
      `The table "${table}" is missing and could not be made: ${mayNotChangeSchema(created)}. By hand: make a table "${table}" with the columns ${columnNames.map(describeColumn).join('; ')}.`,
    )
}

function inspectTable(
  table: Table | undefined,
  settings: AirtableSettings,
  { todo }: SetupReport,
): void {
  if (!table) {
    todo.push(`The base has no table "${settings.table}".`)
    return
  }
  const missing = columnNames.filter((name) => !table.fields.some((field) => field.name === name))
  if (missing.length > 0)
    todo.push(`The table "${table.name}" lacks the columns ${missing.join(', ')}.`)
  for (const field of table.fields) {
    const fault = findTypeFault(field)
    if (fault) todo.push(fault)
  }
}

/** Says what is wrong with a column of ours that has a type which does not take our values. */
function findTypeFault({ name, type }: Table['fields'][number]): string | undefined {
  const column = columnNames.find((one) => one === name)
  if (!column || (columns[column].accepts as readonly string[]).includes(type)) return undefined
  return `The column "${column}" has the type ${type}, which does not take our values. Change it to ${typeWords[columns[column].type]}.`
}

async function completeTable(
  { id, name, fields }: Table,
  { baseId }: AirtableSettings,
  ask: Ask,
  report: SetupReport,
) {
  report.done.push(`The base has the table "${name}" (${id}).`)
  for (const column of columnNames) {
    const field = fields.find((one) => one.name === column)
    if (!field) {
      const created = await ask(
        'POST',
        `meta/bases/${encodeURIComponent(baseId)}/tables/${id}/fields`,
        describeField(column),
      )
      if (created.kind === 'ok') report.done.push(`Made the column ${describeColumn(column)}.`)
      else
        report.todo.push(
          `The column ${describeColumn(column)} is missing and could not be made: ${mayNotChangeSchema(created)}. Make it by hand.`,
        )
    } else {
      const fault = findTypeFault(field)
      if (fault) report.todo.push(fault)
    }
  }
  if (report.todo.length === 0) report.done.push('The table has every column.')
}

/** A record that cannot exist is refused with 422 when the token may write, with 403 when not. */
async function checkWriting(settings: AirtableSettings, ask: Ask, report: SetupReport) {
  const reply = await ask('PATCH', tablePath(settings), {
    records: [{ id: 'rec00000000000000', fields: {} }],
  })
  if (reply.kind === 'refused') report.done.push('The token may write rows.')
  else {
    report.todo.push(`Whether the token may write rows is not proved. ${describeReply(reply)}`)
    report.hindrance = findHindrance(reply)
  }
  const read = await ask('GET', `${tablePath(settings)}?maxRecords=1`)
  if (read.kind === 'ok') report.done.push('The token may read rows.')
  else {
    report.todo.push(`The token may not read rows. ${describeReply(read)}`)
    report.hindrance = findHindrance(read)
  }
}
