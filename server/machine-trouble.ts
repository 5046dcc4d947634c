import { statfs } from 'node:fs/promises'
import { formatDuration } from '#leads/alerts/clock.ts'
import type { Env } from '#leads/settings.ts'
import { findSamples } from '#site/build/samples.ts'
import * as content from '#site/content.ts'
import { findBackupDir, findNewestBackup } from './backups.ts'

const leastFreeBytes = 500_000_000
const oldestBackupMs = 2 * 24 * 3_600_000

/** What is wrong with the machine and the site on it, in sentences that say what to do. */
export async function findMachineTrouble(
  { databaseUrl, dataDir, publicUrl }: Env,
  variables: Record<string, string | undefined>,
  now: number,
): Promise<string[]> {
  const trouble: string[] = []
  const isPublic = publicUrl.startsWith('https://')
  if (isPublic && findSamples(content).length > 0)
    trouble.push('Visitors see sample reviews, which US law fines: put yours into site/content.ts.')
  if (databaseUrl !== undefined) return trouble
  const { bavail, bsize } = await statfs(dataDir)
  const freeBytes = bavail * bsize
  if (freeBytes < leastFreeBytes)
    trouble.push(
      `The disk is nearly full (${Math.round(freeBytes / 1_000_000)} MB left): make room, or no lead can be stored.`,
    )
  // A laptop's leads are tries.
  if (!isPublic) return trouble
  const newestAt = findNewestBackup(findBackupDir(variables, dataDir))
  if (newestAt === undefined) trouble.push('There is no backup yet. Run: npm run backup')
  else if (now - newestAt > oldestBackupMs)
    trouble.push(
      `The newest backup is ${formatDuration(now - newestAt)} old. See why the nightly one fails: npm run backup`,
    )
  return trouble
}
