import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'

const keptMs = 30 * 24 * 60 * 60_000
export const listName = 'earlier.json'

/** Since when each file has been replaced. */
export type EarlierList = Record<string, number>

/** Which of the found files stay beside the new ones: they go 30 days after they were replaced. */
export function chooseEarlier(
  found: Iterable<string>,
  { names, list, now }: { names: ReadonlySet<string>; list: EarlierList; now: number },
): EarlierList {
  const kept = [...found].flatMap((name) => {
    // Compressed copies go with their file.
    const original = name.replace(/\.(br|gz)$/, '')
    const since = list[name] ?? list[original] ?? now
    const isNew = names.has(original)
    return isNew || name === listName || now - since >= keptMs ? [] : [[name, since] as const]
  })
  return Object.fromEntries(kept)
}

/**
 * Lets the hashed files of earlier builds live on beside the new ones: a page that somebody has open
 * asks for them still. Nobody has the sample open in public: what only it has is listed as long gone.
 */
export function keepEarlierAssets({
  isSample,
  now = Date.now,
}: {
  isSample: () => Promise<boolean>
  now?: () => number
}): Plugin {
  let folder: string
  let found: Map<string, Buffer>
  return {
    name: 'keep-earlier-assets',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, build.assetsDir)
    },
    // Before Vite empties the folder.
    buildStart() {
      const names = existsSync(folder) ? readdirSync(folder) : []
      found = new Map(names.map((name) => [name, readFileSync(join(folder, name))]))
    },
    async writeBundle() {
      const list: EarlierList = JSON.parse(String(found.get(listName) ?? '{}'))
      const names = new Set(readdirSync(folder))
      const kept = chooseEarlier(found.keys(), { names, list, now: now() })
      for (const name of Object.keys(kept))
        writeFileSync(join(folder, name), found.get(name) as Buffer)
      if (await isSample())
        for (const name of names) if (!found.has(name) || list[name] === 0) kept[name] = 0
      writeFileSync(join(folder, listName), JSON.stringify(kept))
    },
  }
}
