import type { LeadStatus } from '#leads/history.ts'
import type { LeadRecord } from '#leads/store/reading.ts'
import type { End } from './sentences.ts'

export const listRows = ({ services }: Pick<End, 'services'>, leadId: string) =>
  services.airtable.tables[0]?.records.filter(({ fields }) => fields['Lead ID'] === leadId) ?? []

const statuses: Record<Exclude<LeadStatus, 'open'>, string> = {
  calling: 'Called',
  'call-again': 'Called',
  done: 'Done',
  'not-a-lead': 'Not a lead',
}

export function computeStatus({ status, suspect }: LeadRecord): string {
  if (status !== 'open') return statuses[status]
  return suspect ? 'Possible spam' : 'New'
}

/** A Status that only a person uses stays, unless it was chosen while a process was writing the row. */
export function listStatuses({ people, services }: End, lead: LeadRecord): unknown[] {
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
