import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { makeBrand } from '#brand-tools/brand.ts'
import { findBrowser } from '#scripts/tools.mjs'
import { readContent } from '#site/build/check-content.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { copySources } from '#testing/copy-sources.ts'

// Rebrands a copy of the checkout as described in the README ("Make it yours"). The copy has different colors with a
// light accent, a long name, portrait pictures, five reviews, and no award. This script runs all browser tests in the
// copy, and then repeats some of them without the optional pictures. The content has no `sample: true`, so tests skip
// checks of the sample content.
// To run one file: node e2e/second-brand.ts e2e/page.spec.ts

// Without a browser, there is nothing to run. The setup script has already listed the skipped tests.
if (!findBrowser()) process.exit()

const name = 'Featherstonehaugh & Daughters Roofing and Sheet Metal'
const brand: Brand = {
  colors: { ink: '#2a1a4a', paper: '#f4f7fb', accent: '#f2b632' },
  corners: 'round',
}
const logo = '<svg viewBox="0 0 48 32"><path fill="#e00" d="M0 32L24 0l24 32z"/></svg>'
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2600">
  <linearGradient id="sky" x2="0" y2="1"><stop stop-color="#fff6c0"/><stop offset="1" stop-color="#7a8fb5"/></linearGradient>
  <path fill="url(#sky)" d="M0 0h2000v2600H0z"/><path fill="#553" d="M200 1500l800-500 800 500v900H200z"/>
</svg>`

const folder = copySources(
  ...['bench', 'brand-tools', 'cli', 'desk', 'e2e', 'fakes', 'scripts', 'server'],
  ...['supabase', 'testing', 'playwright.config.ts'],
)
const brandDir = join(folder, 'site/brand')
const content = join(folder, 'site/content.ts')
const words = readFileSync(content, 'utf8').replaceAll(/ *sample: true,\n?/g, '')
const reviews = words.match(/ {4}\{\n {6}name: .*?\n {4}\},\n/gs)?.slice(0, 5) ?? []
writeFileSync(
  content,
  words
    // Turn on the optional entries.
    .replace(/^ +\/\/ (?=\w+: )/gm, '')
    // The first `name` in the file is the company's name.
    .replace(/( name: ).*/, `$1'${name}',`)
    .replace(/( phone: )'.*?'/, "$1'612-234-7810'")
    .replace(/(headline: ).*/, "$1'Roofs and sheet metal since our grandmother’s day.',")
    .replace(/( value: )'.*?'/, "$1'90+'")
    .replace(/(claim: ).*/, "$1'Average response time: half an hour',")
    .replace(/\n {2}award: .*\n/, '\n')
    .replace(
      /( {2}reviews: \[\n).*?\n {2}\],\n/s,
      (_, start) => `${start}${reviews.join('')}  ],\n`,
    ),
)
writeFileSync(join(brandDir, 'logo.svg'), logo)
writeFileSync(
  join(brandDir, 'brand.ts'),
  `import type { Brand } from '../schema/brand-schema.ts'\nexport const brand: Brand = ${JSON.stringify(brand)}\n`,
)
for (const file of readdirSync(brandDir)) if (file.endsWith('.webp')) rmSync(join(brandDir, file))

const services = ['roofing', 'repairs', 'inspections'].map((one) => `service-${one}.jpg`)
const optional = ['hero-portrait.jpg', 'night.jpg', ...services]
for (const file of ['hero.jpg', 'about.jpg', ...optional])
  await sharp(Buffer.from(picture)).jpeg().toFile(join(brandDir, file))
await applyBrand()
run('tsc', '--noEmit')
run('vite', 'build', '--config', 'desk/vite.config.ts', '--logLevel', 'error')
const files = process.argv.slice(2)
run('playwright', 'test', '--project=test', ...files)

for (const file of optional) rmSync(join(brandDir, file))
await applyBrand()
const looks = ['accessibility', 'page', 'policy', 'still', 'weight'].map((one) => `${one}.spec.ts`)
run('playwright', 'test', '--project=test', ...(files.length > 0 ? files : looks))
rmSync(folder, { recursive: true })

async function applyBrand() {
  await makeBrand({
    root: folder,
    brand,
    content: fillIn(await readContent(folder)),
    print: () => {},
    effort: 0,
  })
}

function run(command: string, ...args: string[]) {
  const { status } = spawnSync(join(folder, 'node_modules/.bin', command), args, {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status === 0) return
  process.stderr.write(`The rebranded copy is in ${folder}.\n`)
  process.exit(1)
}
