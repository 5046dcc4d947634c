import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { createDir } from '#testing/database.ts'
import { keepEarlierAssets } from './earlier-assets.ts'

const dayMs = 24 * 60 * 60_000

function prepare() {
  const root = createDir()
  const assets = join(root, 'dist/assets')
  return {
    assets,
    /** Builds one module with these words, and names the scripts that are there then. */
    async buildOn(day: number, words: string, isSample = false) {
      writeFileSync(join(root, 'words.js'), `console.log(${JSON.stringify(words)})`)
      await build({
        root,
        configFile: false,
        logLevel: 'silent',
        plugins: [keepEarlierAssets({ isSample: async () => isSample, now: () => day * dayMs })],
        build: { rolldownOptions: { input: join(root, 'words.js') } },
      })
      return readdirSync(assets).filter((name) => name !== 'earlier.json')
    },
  }
}

test('files of earlier builds stay for 30 days from the build that replaced them', async () => {
  const { buildOn } = prepare()
  const first = await buildOn(0, 'one')
  expect(first).toHaveLength(1)
  // It was in use for 100 days: its age is counted from now.
  const second = await buildOn(100, 'two')
  expect(second).toEqual(expect.arrayContaining(first))
  expect(await buildOn(129, 'three')).toEqual(expect.arrayContaining(second))
  const last = await buildOn(130, 'four')
  expect(last).not.toEqual(expect.arrayContaining(first))
  expect(last).toHaveLength(3)
})

test('files of the sample stay for nobody; the owner’s do, the sample between them or not', async () => {
  const { assets, buildOn } = prepare()
  const [sample = ''] = await buildOn(100, 'sample', true)
  writeFileSync(join(assets, `${sample}.br`), '')
  const first = await buildOn(101, 'one')
  expect(first).toHaveLength(1)
  // Shown as the sample once more, for a look.
  expect(await buildOn(102, 'sample', true)).toEqual(expect.arrayContaining(first))
  expect(await buildOn(103, 'one')).toEqual(first)
  expect(await buildOn(104, 'two')).toEqual(expect.arrayContaining(first))
})

test('what is built again is in use again', async () => {
  const { buildOn } = prepare()
  const first = await buildOn(0, 'one')
  await buildOn(1, 'two')
  expect(await buildOn(2, 'one')).toHaveLength(2)
  expect(await buildOn(31, 'three')).toEqual(expect.arrayContaining(first))
})

test('compressed copies stay and go with their file', async () => {
  const { assets, buildOn } = prepare()
  const [name = ''] = await buildOn(0, 'one')
  for (const ending of ['br', 'gz']) writeFileSync(join(assets, `${name}.${ending}`), '')
  expect(await buildOn(0, 'one')).toEqual([name])
  for (const ending of ['br', 'gz']) writeFileSync(join(assets, `${name}.${ending}`), '')
  expect(await buildOn(1, 'two')).toHaveLength(4)
  expect(await buildOn(31, 'two')).toHaveLength(1)
})
