// Unit files written before 1.0 back up by this name. It goes with the next release.
import { execFileSync } from 'node:child_process'

execFileSync(process.execPath, ['owner/backup.ts', ...process.argv.slice(2)], { stdio: 'inherit' })
