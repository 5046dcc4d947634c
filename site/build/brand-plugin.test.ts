import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger, resolveConfig } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { copySources } from '#testing/copy-sources.ts'
import { brand } from '../brand/brand.ts'
import { company } from '../content.ts'
import { computeBrandStamps } from './brand-stamp.ts'

test('a build says when the pictures are an earlier brand’s', async () => {
  const folder = copySources()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const startBuild = async () => {
    const said: string[] = []
    const customLogger = createLogger()
    customLogger.warn = (line) => said.push(line)
    await resolveConfig({ configFile: join(folder, 'vite.config.ts'), customLogger }, 'build')
    return said
  }
  const stamps = computeBrandStamps({ root: folder, brand, name: company.name })
  writeFileSync(join(folder, 'site/brand/made.json'), JSON.stringify(stamps))
  expect(await startBuild()).toEqual([])

  const content = join(folder, 'site/content.ts')
  writeFileSync(content, readFileSync(content, 'utf8').replace(company.name, 'Acme'))
  expect(await startBuild()).toEqual([expect.stringMatching(/still made of.*npm run brand$/)])
})
