import * as v from 'valibot'
import { type AirtableDeps, type AirtableSettings, type Reply, tokenPage } from './client.ts'
import { airtableColumns, type ColumnName, columnNames, requiredColumns } from './columns.ts'
import { openTable } from './rows.ts'

/** Airtable is ready when `todo` is empty. */
type SetupReport = {
  done: string[]
  todo: string[]
  /** Why the checks could not finish: wrong settings, or a problem with Airtable. */
  blocker?: 'settings' | 'airtable'
}

const tableSchema = v.object({
  id: v.string(),
  name: v.string(),
  fields: v.array(v.object({ name: v.string(), type: v.string() })),
})
type Table = v.InferOutput<typeof tableSchema>
const baseSchema = v.object({ tables: v.array(tableSchema) })

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
  currency: 'currency',
}

/** Describes a column for someone who creates it by hand. */
function describeColumn(name: ColumnName): string {
  const { type, options } = airtableColumns[name]
  const choices = options?.choices?.map((choice) => choice.name).join(', ')
  return `"${name}" (${typeWords[type]}${choices ? `: ${choices}` : ''})`
}

const describeAllColumns = () => columnNames.map(describeColumn).join('; ')

const makeField = (name: ColumnName) => {
  const { type, options } = airtableColumns[name]
  return { name, type, ...(options && { options }) }
}

/** Checks the token, base, table, and columns. With `creates`, also creates a missing table or missing columns. */
export async function checkAirtable(
  settings: AirtableSettings,
  { creates, ...deps }: AirtableDeps & { creates: boolean },
): Promise<SetupReport> {
  const { path, request } = openTable(settings, deps)
  const report: SetupReport = { done: [], todo: [] }
  const { done, todo } = report
  const tablesPath = `meta/bases/${encodeURIComponent(settings.baseId)}/tables`
  await check()
  return report

  async function check(): Promise<void> {
    const who = await request('GET', 'meta/whoami')
    if (who.kind !== 'ok') return addBlocker(who, describeReply(who))
    done.push('The token is valid.')

    const listed = await request('GET', tablesPath)
    const base = v.safeParse(baseSchema, listed.kind === 'ok' ? listed.body : undefined)
    if (!base.success) {
      const invisible = `The token has no access to base ${settings.baseId}. At ${tokenPage}, give the token the scopes ${scopes.join(', ')} and access to the base. AIRTABLE_BASE_ID is the part of the base's URL that starts with "app".`
      addBlocker(listed, isOutOfReach(listed) ? invisible : describeReply(listed))
      const byHand = `Or create the table by hand: name it "${settings.table}" and add the columns ${describeAllColumns()}.`
      if (creates && report.blocker === 'settings') todo.push(byHand)
      return
    }
    done.push(`The token has access to base ${settings.baseId}.`)

    const { tables } = base.output
    const table = tables.find(({ id, name }) => id === settings.table || name === settings.table)
    if (table) await checkTable(table)
    else if (creates) await createTable(settings.table, tables)
    else todo.push(`The base has no table "${settings.table}".`)
    if (todo.length === 0) await checkPermissions()
  }

  function addBlocker(reply: Reply, sentence: string): void {
    const isSettings = isOutOfReach(reply) || (reply.kind === 'failed' && reply.status === 401)
    report.blocker = isSettings ? 'settings' : 'airtable'
    todo.push(sentence)
  }

  async function createTable(name: string, tables: readonly Table[]): Promise<void> {
    if (/^tbl\w{14}$/.test(name)) {
      const names = tables.map((table) => `"${table.name}" (${table.id})`).join(', ')
      todo.push(
        `The base has no table ${name}. Set AIRTABLE_TABLE to one of ${names || 'its tables'}, or to the name of a new table.`,
      )
      return
    }
    const created = await request('POST', tablesPath, { name, fields: columnNames.map(makeField) })
    if (created.kind === 'ok')
      done.push(`Created the table "${name}" with ${columnNames.length} columns.`)
    else
      todo.push(
        `The table "${name}" is missing and could not be created: ${explainFailure(created)}. Create it by hand with the columns ${describeAllColumns()}.`,
      )
  }

  async function checkTable({ id, name, fields }: Table): Promise<void> {
    done.push(`The base has the table "${name}" (${id}).`)
    const checked = creates ? columnNames : requiredColumns
    const missing = checked.filter((column) => !fields.some((field) => field.name === column))
    if (creates) for (const column of missing) await createColumn(column, id)
    else if (missing.length > 0)
      todo.push(`The table "${name}" is missing the columns ${missing.join(', ')}.`)
    for (const { name, type } of fields) {
      const column = checked.find((one) => one === name)
      if (column && !airtableColumns[column].accepts.includes(type))
        todo.push(
          `The column "${column}" has the type ${type}, which cannot store its values. Change it to ${typeWords[airtableColumns[column].type]}.`,
        )
    }
    if (todo.length === 0) done.push('The table has all required columns.')
  }

  async function createColumn(column: ColumnName, tableId: string): Promise<void> {
    const created = await request('POST', `${tablesPath}/${tableId}/fields`, makeField(column))
    if (created.kind === 'ok') done.push(`Created the column ${describeColumn(column)}.`)
    else
      todo.push(
        `The column ${describeColumn(column)} is missing and could not be created: ${explainFailure(created)}. Create it by hand.`,
      )
  }

  async function checkPermissions(): Promise<void> {
    // For a record that does not exist, Airtable returns 422 if the token can write, and otherwise 403.
    const records = [{ id: 'rec00000000000000', fields: {} }]
    const written = await request('PATCH', path, { records })
    if (written.kind === 'refused') done.push('The token can write rows.')
    else
      addBlocker(
        written,
        `Could not check whether the token can write rows. ${describeReply(written)}`,
      )
    const read = await request('GET', `${path}?maxRecords=1`)
    if (read.kind === 'ok') done.push('The token can read rows.')
    else addBlocker(read, `The token cannot read rows. ${describeReply(read)}`)
  }
}

const isOutOfReach = (reply: Reply) =>
  reply.kind === 'failed' && (reply.status === 403 || reply.status === 404)

const describeReply = (reply: Reply) =>
  reply.kind === 'failed'
    ? reply.error
    : `Airtable returned an unexpected response (${reply.kind === 'refused' ? `422 ${reply.type}` : '200'}).`

const explainFailure = (reply: Reply) =>
  isOutOfReach(reply)
    ? `the token does not have the scope schema.bases:write (add it at ${tokenPage}), or its owner cannot change the base`
    : describeReply(reply)
