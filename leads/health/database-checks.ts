import type { Check } from './check.ts'

export const databaseChecks: readonly Check[] = [
  {
    id: 'database-file-gone',
    runsIn: ['healthz', 'desk', 'doctor'],
    severity: 'error',
    find: ({ isFileGone }) =>
      isFileGone && {
        text: 'The database file is gone: leads.db or leads.db-wal in DATA_DIR was deleted, moved, or replaced. The running site can’t accept new leads, and the leads it still shows will be lost when it stops.',
        next: 'If you moved the files, move them back. Otherwise download all leads on the desk before you stop the site. Then stop it, run npm run restore with the newest backup, and start it',
        forOwner:
          'The database file is gone, so the site can’t accept leads. Restarting the site would delete the leads that you still see here. Download them as a spreadsheet now, then ask the person who set up this site for help.',
        action: { label: 'Open all leads', kind: 'open', route: '#/leads' },
      },
  },
  {
    id: 'database-fault',
    runsIn: ['healthz', 'doctor'],
    severity: 'error',
    find: ({ databaseFault: fault, isFileGone }) =>
      fault !== undefined &&
      !isFileGone && {
        text: `The database cannot store or read leads (${fault}).`,
        next: 'Run npm start, which migrates an older database. If that does not help, check DATABASE_URL or DATA_DIR, the permissions, and the free disk space',
      },
  },
  {
    id: 'erase-unfinished',
    runsIn: ['healthz', 'desk', 'doctor'],
    find: ({ database }) =>
      database?.isErasing && {
        text: 'Parts of an erased lead may still be in leads.db or leads.db-wal, because the disk is full or another program is reading the database. The site tries again every minute.',
        next: 'Stop other programs that have leads.db open, and free up disk space',
        forOwner:
          'Parts of an erased lead may still be in the database file. The site tries to remove them every minute. If this message is still here after an hour, ask the person who set up this site for help.',
      },
  },
]
