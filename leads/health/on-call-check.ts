import { isWanted } from '../channels/push.ts'
import { promiseMs } from '../deadline.ts'
import { findClosure, findShift } from '../hours.ts'
import { canNotify } from '../store/push-devices.ts'
import { defineCheck } from './check.ts'

/** Checks the next closure, so that the warning appears while the company is still open. */
export const nobodyOnCall = defineCheck({
  id: 'nobody-on-call',
  runsIn: ['desk', 'doctor'],
  find: ({ env, hours, database, now }) => {
    const closure = hours.emergencies === 'always' ? findClosure(now, hours) : undefined
    if (!closure || !database || env.sms) return
    const at = closure.from
    const lead = { serviceType: 'emergency' as const, email: '', deadlineAt: at + promiseMs }
    const event = { lead, reason: 'received' as const, at, shift: findShift(at, hours) }
    const isNotified = database.devices.some(
      (device) => canNotify(device) && isWanted(device, event),
    )
    return isNotified ? undefined : true
  },
  forOwner: () => ({
    text: 'If an emergency comes in while you’re closed, no phone is notified.',
    action: { label: 'Choose who is on call', kind: 'open', route: '#/people' },
  }),
  forDeveloper: () => ({
    text: 'If an emergency comes in while the company is closed, no phone is notified, although the page promises a call within 10 minutes.',
    next: 'Set a phone to “Always” or “After hours” on the desk, under People. Or set ALERT_SMS_TO in .env, or emergencies to “when open” in site/content.ts',
  }),
})
