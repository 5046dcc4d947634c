import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UserError } from '#leads/user-error.ts'

/** Writes a file that the owner named, whole or not at all, and replaces none unasked. */
export async function writeNewFile(
  file: string,
  content: Parameters<typeof writeFile>[1],
  { force = false, mode }: { force?: boolean | undefined; mode?: number },
): Promise<void> {
  const taken = await stat(file).catch(() => undefined)
  if (taken?.isDirectory()) throw new UserError(`${file} is a folder. Name a file.`)
  if (taken && !force) throw new UserError(`${file} is there already. --force replaces it.`)
  const part = `${file}.part`
  try {
    await writeFile(part, content, { mode })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    const { message } = error as Error
    throw new UserError(
      `${resolve(file)} could not be written (${message}). Name a file in a folder that you may write to.`,
    )
  }
}
