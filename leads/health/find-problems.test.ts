import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { dayHours, storeLead, testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { nameRecipients } from '../channels/channel-type.ts'
import { writeDeliveries } from '../store/deliveries.ts'
import { consumeLink, saveLink, serverEmail } from '../store/sign-in.ts'
import type { Database } from '../store/tables.ts'
import { dayMs, hourMs } from '../time-units.ts'
import type { Place } from './check.ts'
import { findProblems } from './find-problems.ts'

const hours = () => ({ ...dayHours, emergencies: 'when open' as const })
const env = makeSettings({
  AIRTABLE_TOKEN: 'pat.x',
  AIRTABLE_BASE_ID: 'app',
  SMTP_URL: 'smtp://localhost',
  ALERT_EMAIL_FROM: 'site@example.com',
  ALERT_EMAIL_TO: 'a@example.com,b@example.com',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222,+15550003333',
})

/** Returns what the desk tells the owner some time later. */
async function listTexts(db: Database, afterMs: number) {
  const problems = await findProblems('desk', { env, hours, db, now: () => testTime + afterMs })
  return problems.map(({ forOwner }) => forOwner)
}

describe.each(engines)('on %s', (engine) => {
  it('counts each lead once, even with several recipients and reasons', async () => {
    const db = await openTestDatabase(engine)
    const recipients = nameRecipients('email', env.email?.to ?? [])
    const emails = recipients.map(({ name }) => name)
    const leadId = await storeLead(db, { recipients: ['airtable', ...emails] })
    await storeLead(db, { recipients: ['airtable', ...emails], at: testTime + 1_000 })
    const again = { leadId, recipients: ['airtable'], reason: 'called' as const }
    await writeDeliveries(db.kysely, again, testTime)
    await db.kysely.updateTable('deliveries').set({ lastError: 'Rejected.' }).execute()
    expect(await listTexts(db, 120_000)).toEqual([])
    expect(await listTexts(db, 660_000)).toEqual([
      'Airtable is missing 2 leads. The oldest has been waiting for 11 minutes. Leads are saved here and will be sent automatically. Rejected.',
      'Email alerts for 2 leads are 11 minutes late. Look for new leads under Today. Rejected.',
    ])
  })

  it('ignores deliveries to recipients who are no longer set up', async () => {
    const db = await openTestDatabase(engine)
    await storeLead(db, { recipients: ['email-00000000'] })
    expect(await findProblems('healthz', { env, hours, db, now: () => testTime + hourMs })).toEqual(
      [],
    )
  })

  it('reports texts that did not arrive in the last 24 hours', async () => {
    const db = await openTestDatabase(engine)
    const recipients = nameRecipients('sms', env.sms?.to ?? []).map(({ name }) => name)
    for (const [at, error] of ['Out of credit.', 'Not registered.'].entries()) {
      const leadId = await storeLead(db, { recipients, at: testTime + at })
      await db.kysely
        .updateTable('deliveries')
        .set({ state: 'failed', lastError: error, settledAt: testTime + at })
        .where('leadId', '=', leadId)
        .execute()
    }
    // Failed notifications have a separate warning.
    const pushed = await storeLead(db, { recipients: ['push-0a1b2c3d'] })
    const failed = { state: 'failed', settledAt: testTime + 2 } as const
    await db.kysely.updateTable('deliveries').set(failed).where('leadId', '=', pushed).execute()
    expect(await listTexts(db, 60_000)).toEqual([
      'In the last 24 hours, text message alerts for 2 leads didn’t arrive. Not registered. Look for new leads under Today.',
    ])
    expect(await listTexts(db, dayMs + 1)).toEqual([
      'In the last 24 hours, text message alerts for 1 lead didn’t arrive. Not registered. Look for new leads under Today.',
    ])
    expect(await listTexts(db, dayMs + 2)).toEqual([])
  })

  it('reports a reached limit until it no longer holds', async () => {
    const db = await openTestDatabase(engine)
    const listIds = async (at: number, place: Place = 'desk') =>
      (await findProblems(place, { env, hours, db, now: () => at })).map(({ id }) => id)
    const link = { requester: '', requestedAt: testTime }
    const requestLinks = (email: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          saveLink(db, { ...link, email, tokenHash: `${email} ${at}` }),
        ),
      )
    await requestLinks('a@example.com', 2)
    await requestLinks(serverEmail, 4)
    expect(await listIds(testTime)).toEqual([])
    await requestLinks('b@example.com', 3)
    expect(await listIds(testTime)).toEqual(['sign-in-limit'])
    // Anyone can read /healthz, so it must not show which email addresses can sign in.
    expect(await listIds(testTime, 'healthz')).toEqual([])
    await consumeLink(db, 'b@example.com 0', testTime)
    expect(await listIds(testTime)).toEqual([])

    for (let at = 0; at < 20; at++)
      await storeLead(db, {
        recipients: ['confirmation'],
        limited: ['confirmation'],
        lead: { email: `${at}@example.com` },
      })
    await db.kysely.updateTable('deliveries').set({ state: 'sent' }).execute()
    for (const place of ['desk', 'healthz'] as const)
      expect(await listIds(testTime, place)).toEqual(['confirmation-limit'])
    expect(await listIds(Date.parse('2026-11-16T00:00:00Z'))).toEqual([])
  })
})
