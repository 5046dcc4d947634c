import { joinWords } from '../words.ts'
import type { Check, OwnerAction } from './check.ts'

export const openPageEditor: OwnerAction = {
  label: 'Open the page editor',
  kind: 'open',
  route: '#/page',
}

export const pageChecks: readonly Check[] = [
  {
    id: 'page-not-shown',
    runsIn: ['healthz', 'desk', 'start', 'doctor'],
    find: ({ pageFault: fault }) =>
      fault !== undefined && {
        text: `The page that was published last cannot be shown, so visitors see an earlier one or the one from site/content.ts. ${fault.replace(/\.?$/, '.')}`,
        next: 'Correct the entries on the desk under Page, and publish again',
        forOwner:
          'Visitors see an earlier page, not the one that you published last. In the page editor, fix the marked entries, or make your last changes again, and publish. If this doesn’t go away, ask the person who set up this site for help.',
        action: openPageEditor,
      },
  },
  {
    id: 'page-damaged',
    runsIn: ['doctor'],
    severity: 'note',
    find: ({ damagedPages = [] }) =>
      damagedPages.length > 0 && {
        text: `The stored text of the page is damaged: ${damagedPages.join(', ')}. The other versions still work.`,
        next: 'Find out why the database is damaged. A backup may have the text (docs/backup.md)',
      },
  },
  {
    id: 'page-differs',
    runsIn: ['doctor'],
    severity: 'note',
    find: ({ pageDiffers }) =>
      pageDiffers && {
        text: 'The published page and site/content.ts differ. Visitors see the published page.',
        next: 'To copy it into the file, run npm run -s leads -- page',
      },
  },
  {
    id: 'late-reminders',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ env, hours: { promiseMinutes } }) => {
      const late = env.escalateAfterMinutes?.filter((minutes) => minutes >= promiseMinutes) ?? []
      if (late.length === 0) return
      return {
        text: `The page promises a call within ${promiseMinutes} minutes, so these reminders in ESCALATE_AFTER_MINUTES come too late and aren’t sent: ${late.join(', ')}.`,
        next: `Set ESCALATE_AFTER_MINUTES in .env to values below ${promiseMinutes}, or leave it empty`,
        forOwner: `Reminders after ${joinWords(late.map(String))} minutes aren’t sent, because the page promises a call within ${promiseMinutes} minutes. Allow more time under “Minutes until you call,” or ask the person who set up this site to change the reminders.`,
        action: openPageEditor,
      }
    },
  },
]
