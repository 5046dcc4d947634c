import type { Database } from '#leads/store/tables.ts'

const youngMs = 60 * 60_000

/**
 * What waited when a backup was taken may have gone out before the restore. To Airtable it may go
 * again: a row is found by its lead's id. Alerts of the last hour may ring again, because a call too
 * few costs more than a ring too many; older ones would only ring at night for what is long settled.
 * Who was signed out since must not be back, nor be rung: phones sign in and register again.
 */
export function setAsideOldAlerts({ kysely }: Database, now: number) {
  return kysely.transaction().execute(async (trx) => {
    const old = trx
      .selectFrom('leads')
      .select('id')
      .where('received_at', '<', now - youngMs)
    const setAside = await trx
      .updateTable('deliveries')
      .set({
        state: 'cancelled',
        settled_at: now,
        note: 'Restored from a backup: it may have gone out before.',
      })
      .where('state', '=', 'waiting')
      .where('channel', '!=', 'airtable')
      .where((eb) => eb.or([eb('lead_id', 'in', old), eb('channel', 'like', 'push-%')]))
      .returning('lead_id')
      .execute()
    await trx.updateTable('leads').set({ escalate_at: null }).where('id', 'in', old).execute()
    await trx.deleteFrom('desk_sessions').execute()
    await trx.deleteFrom('desk_links').execute()
    const phones = await trx.deleteFrom('push_devices').returning('id').execute()
    // Whoever held them is not there any more.
    await trx.updateTable('deliveries').set({ leased_until: 0, lease_holder: null }).execute()
    await trx.updateTable('channels').set({ leased_until: 0, lease_holder: null }).execute()
    const { newestAt } = await trx
      .selectFrom('leads')
      .select((eb) => eb.fn.max<number | null>('received_at').as('newestAt'))
      .executeTakeFirstOrThrow()
    const setAsideLeads = [...new Set(setAside.map(({ lead_id: id }) => id))]
    return { newestAt, setAsideLeads, phones: phones.length }
  })
}
