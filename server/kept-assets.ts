import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Log, nameError } from '#leads/log.ts'
import { chooseEarlier, type EarlierList, listName } from '#site/build/earlier-assets.ts'

/**
 * Keeps copies of a version's hashed files where the next version finds them: an image brings its own
 * only, and a page that somebody has open asks for the files of the image before. What cannot be kept
 * costs no lead, so it is said and no more.
 */
export function keepAssets(
  assets: string,
  { folder, now, log }: { folder: string; now: number; log: Log },
): void {
  try {
    mkdirSync(folder, { recursive: true })
    const names = new Set(readdirSync(assets).filter((name) => name !== listName))
    const found = readdirSync(folder).filter((name) => !names.has(name) && name !== listName)
    const kept = chooseEarlier(found, { names, list: readList(folder), now })
    for (const name of found) if (!(name in kept)) rmSync(join(folder, name))
    for (const name of names)
      if (!existsSync(join(folder, name)))
        writeWhole(join(folder, name), (file) => copyFileSync(join(assets, name), file))
    writeWhole(join(folder, listName), (file) => writeFileSync(file, JSON.stringify(kept)))
  } catch (error) {
    log.warn(
      { error: nameError(error) },
      'files of earlier versions cannot be kept: see ASSETS_DIR',
    )
  }
}

function readList(folder: string): EarlierList {
  const file = join(folder, listName)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** Under its name it is there whole or not at all; two processes may start at once. */
function writeWhole(file: string, write: (part: string) => void): void {
  const part = `${file}.${process.pid}.part`
  write(part)
  renameSync(part, file)
}
