import { statfs } from 'node:fs/promises'
import type { MachineFacts } from '#leads/health/check.ts'
import type { Env } from '#leads/settings.ts'
import { computeBackupDir, findNewestBackup } from './backups.ts'

type Storage = NonNullable<MachineFacts['storage']>

// Linux's magic numbers for file systems: see statfs(2).
const storageKinds: Record<number, Storage['kind']> = {
  16914836: 'memory', // tmpfs
  2035054128: 'container', // overlay
  26985: 'network', // NFS
  4283649346: 'network', // SMB
  4266872130: 'network', // SMB 2 and later
}

/** Some kernels return a signed number. */
const readKind = (type: number): Storage['kind'] => storageKinds[type >>> 0] ?? 'disk'

/** Reads what the health checks need to know about the machine and the site. */
export async function readMachineFacts(
  { databaseUrl, dataDir }: Env,
  variables: Record<string, string | undefined>,
  content: unknown,
  readStatfs: (path: string) => Promise<{ type: number; bavail: number; bsize: number }> = statfs,
): Promise<MachineFacts> {
  const samples = listSamplePaths(content)
  const inContainer = readKind((await readStatfs('/')).type) === 'container'
  if (databaseUrl !== undefined) return { samples, inContainer }
  const { type, bavail, bsize } = await readStatfs(dataDir)
  return {
    samples,
    inContainer,
    storage: {
      kind: readKind(type),
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
      listSamplePaths(inner, path === '' ? name : `${path}.${name}`),
    ),
  ]
}
