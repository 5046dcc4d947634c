import { fieldOutputs, readField } from '#leads/field-outputs.ts'
import { fieldNames } from '#leads/fields.ts'
import { makeHomeownerKeys, makeSearchText } from '#leads/homeowner-keys.ts'
import { describeSale, readAmount } from '#leads/sale.ts'
import { statuses } from '#leads/statuses.ts'
import type { LeadRecord } from '#leads/store/find-leads.ts'
import type { End, Sentences } from './end.ts'
import { hasErased } from './visits.ts'

/** Sentences that must hold for Airtable. */
export const airtableSentences: Sentences = {
  *'A stored lead has exactly one Airtable row with the right Status, unless a person chose another'(
    end,
  ) {
    for (const lead of end.stored) {
      const rows = listRows(end, lead.id)
      const status = rows[0]?.fields.Status
      const isRight = listStatuses(end, lead).includes(status)
      // Erasing starts in Airtable. If the database fails then, the desk shows an error and keeps the lead.
      const isHalfErased = rows.length === 0 && hasErased(end.people, lead.id, 'everywhere')
      if (!isHalfErased && !(rows.length === 1 && isRight))
        yield `${lead.name}: ${rows.length} rows, ${status} instead of ${computeStatus(lead)}`
    }
  },

  *'Airtable has the result of each request that has one, and no other'(end) {
    for (const lead of end.stored)
      for (const { fields } of listRows(end, lead.id)) {
        const shown = `${fields.Result ?? null} ${fields.Amount ?? null}`
        const expected = `${describeSale(lead)} ${readAmount(lead)}`
        if (shown !== expected) yield `${lead.name}: ${shown} instead of ${expected}`
      }
  },

  *'Airtable, search, and the number key follow a correction'(end) {
    for (const lead of end.stored) {
      const notes = lead.events.filter(({ kind }) => kind === 'note').map(({ text }) => text)
      const keys = { searchText: makeSearchText(lead, notes), ...makeHomeownerKeys(lead) }
      const found = end.history.leads.get(lead.id)
      for (const [name, key] of Object.entries(keys))
        if (found?.[name as keyof typeof keys] !== key)
          yield `${lead.name}: ${name} instead of ${key}`
      // A process that writes late may have read the lead before the correction.
      const isLate = end.services.writes.some((write) => write.leadId === lead.id && write.isLate)
      for (const { fields } of isLate ? [] : listRows(end, lead.id))
        for (const name of fieldNames) {
          const cell = fields[fieldOutputs[name].label] ?? ''
          if (cell !== readField(lead, name)) yield `${lead.name}: ${cell} in Airtable`
        }
    }
  },

  *'An erased lead has no Airtable row, except after “Erase here only” or an upsert by a process that lost its lease'(
    end,
  ) {
    for (const { lead } of end.history.erased) {
      const isLate = end.services.writes.some((write) => write.leadId === lead.id && write.isLate)
      const isHereOnly = hasErased(end.people, lead.id, 'here only')
      if (listRows(end, lead.id).length > 0 && !isLate && !isHereOnly) yield lead.name
    }
  },
}

const listRows = ({ services }: Pick<End, 'services'>, leadId: string) =>
  services.airtable.tables[0]?.records.filter(({ fields }) => fields['Lead ID'] === leadId) ?? []

/** Suspected spam is also `open`, but has a separate Status in Airtable. */
const computeStatus = ({ status, suspect }: LeadRecord): string =>
  status === 'open' && suspect ? 'Possible spam' : statuses[status].airtable

/** A Status that only a person uses stays, unless it was chosen while a process was writing the row. */
function listStatuses({ people, services }: End, lead: LeadRecord): unknown[] {
  const choice = people.choices.get(lead.id)
  // After a failed erasure, the site may create the row again.
  const isGone = !listRows({ services }, lead.id).some(({ id }) => id === choice?.rowId)
  if (!choice || isGone) return [computeStatus(lead)]
  const isOverwritten = services.writes.some(
    ({ leadId, startedAt, at }) => leadId === lead.id && startedAt <= choice.at && choice.at <= at,
  )
  const stays = choice.status === 'Follow-up' && !isOverwritten
  return stays ? [choice.status] : [choice.status, computeStatus(lead)]
}
