import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'

const keptMs = 30 * 24 * 60 * 60_000
const listName = 'earlier.json'

/**
 * Lets the hashed files of earlier builds live on beside the new ones: a page that somebody has open
 * asks for them still. They go 30 days after the build that replaced them.
 */
export function keepEarlierAssets(now: () => number = Date.now): Plugin {
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
    writeBundle() {
      const list: Record<string, number> = {}
      const replacedAt = JSON.parse(String(found.get(listName) ?? '{}'))
      found.delete(listName)
      const names = new Set(readdirSync(folder))
      for (const [name, content] of found) {
        const since = replacedAt[name] ?? now()
        // Compressed copies go with their file.
        if (names.has(name.replace(/\.(br|gz)$/, '')) || now() - since >= keptMs) continue
        writeFileSync(join(folder, name), content)
        list[name] = since
      }
      writeFileSync(join(folder, listName), JSON.stringify(list))
    },
  }
}
