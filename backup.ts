// Unit files written before 1.0 back up by this name. It goes with the next release.
import { runBackup } from './owner/backup.ts'

process.exitCode = await runBackup(process.argv.slice(2))
