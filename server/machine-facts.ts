import { statfs } from 'node:fs/promises'
import type { MachineFacts } from '#leads/health/check.ts'
import type { Env } from '#leads/settings.ts'
import { joinPath } from '#site/schema/entry-path.ts'
import { computeBackupDir, findNewestBackup } from './backups.ts'

// The type of overlayfs, which holds a container's own files: see statfs(2).
const overlayType = 0x794c7630

/** Reads what the health checks need to know about the machine and the site. */
export async function readMachineFacts(
  { databaseUrl, dataDir }: Env,
  variables: Record<string, string | undefined>,
  content: unknown,
  readStatfs: (path: string) => Promise<{ type: number; bavail: number; bsize: number }> = statfs,
): Promise<MachineFacts> {
  const samples = listSamplePaths(content)
  if (databaseUrl !== undefined) return { samples }
  const { type, bavail, bsize } = await readStatfs(dataDir)
  return {
    samples,
    storage: {
      isTemporary: type === overlayType,
      freeBytes: bavail * bsize,
      newestBackupAt: findNewestBackup(computeBackupDir(variables, dataDir)),
    },
  }
}

/** Lists the entries marked `sample: true`, such as `about.award`. */
export function listSamplePaths(content: unknown, path = ''): string[] {
  if (typeof content !== 'object' || content === null) return []
  const isSample = 'sample' in content && content.sample === true
  return [
    ...(isSample ? [path] : []),
    ...Object.entries(content).flatMap(([name, inner]) =>
      listSamplePaths(inner, joinPath(path, name)),
    ),
  ]
}
