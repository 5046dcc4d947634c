import type { PushDevice } from '#leads/store/push-devices.ts'
import { testTime } from './saved-leads.ts'

/** A phone that rings at once. */
export const makePhone = (changes: Partial<PushDevice> = {}): PushDevice => ({
  id: '0a1b2c3d',
  sessionId: 'session',
  endpoint: `https://push.example/${changes.id ?? ''}`,
  p256dh: '',
  auth: '',
  person: 'Sam',
  name: 'Phone',
  ringsFrom: 0,
  quietUntil: 0,
  emergenciesRing: true,
  createdAt: testTime,
  goneAt: null,
  ...changes,
})
