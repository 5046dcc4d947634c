import { createHash } from 'node:crypto'
import { readSetting, removeSetting, writeSetting } from '../store/kept-settings.ts'
import type { Database } from '../store/tables.ts'

// By this name the database remembers the webhook that answered 410.
const setting = 'stopped-webhook'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

export const stopWebhook = (db: Database, url: string) => writeSetting(db, setting, hash(url))

export const isWebhookStopped = async (db: Database, url: string): Promise<boolean> =>
  (await readSetting(db, setting)) === hash(url)

export const resumeWebhook = (db: Database) => removeSetting(db, setting)
