import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, parse, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { Build } from '../render/build.ts'
import { readBuildEnv, root } from './build-env.ts'
import { readContent } from './check-content.ts'
import { compress, compressFiles } from './compress.ts'
import { listFiles, siteDir } from './files.ts'
import { formatWeight, weigh } from './weigh.ts'

const formCode = 'estimate-form/main.tsx'
const reviewMotion = 'sections/review-motion.ts'
const missingPage = 'report-missing-page.ts'

/**
 * Builds the public files in `outDir`, and the renderer in a folder next to it. The server runs the renderer when the
 * owner previews or publishes the page.
 */
export async function buildSite(outDir = join(root, 'dist')) {
  const rendererDir = `${outDir}-render`
  for (const folder of [outDir, rendererDir]) rmSync(folder, { recursive: true, force: true })
  const write = (name: string, data: string | Uint8Array) => {
    const path = join(outDir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
  }

  cpSync(join(siteDir, 'public'), outDir, { recursive: true })
  const client = await compileClient(write)
  const { publicUrl, supabaseUrl, withMaps } = readBuildEnv('production')
  const result: Build = {
    ...{ publicUrl, supabaseUrl, withMaps, ...client },
    files: { ...client.files, ...copyPictures(write) },
    script: await compileInlineScript('inline-script/page.ts'),
  }

  const { render } = await compileRenderer(rendererDir)
  writeFileSync(join(rendererDir, 'build.json'), JSON.stringify(result))
  const { index, notFound, headers } = render(await readContent(), result)
  write('index.html', index)
  write('404.html', notFound)
  write('_headers', headers)
  for (const [name, text] of Object.entries(formatCrawlerFiles(publicUrl))) write(name, text)
  const bytes = weigh((await compress(Buffer.from(index))).br, headers)
  process.stdout.write(`${formatWeight(bytes)}\n`)
  await compressFiles(globSync(join(outDir, '**/*.{html,js,css,svg,txt,xml}')))
}

const compile = (config: InlineConfig) =>
  build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn', ...config })

/** Compiles the style sheets and the code that the pages load. The first screen's style sheet is inlined. */
async function compileClient(write: (name: string, data: string | Uint8Array) => void) {
  const sheets = {
    landing: 'landing-page.css',
    belowFold: 'below-fold.css',
    notFound: 'not-found-page.css',
  }
  const scriptNames = [formCode, reviewMotion, missingPage]
  const input = [...scriptNames, ...Object.values(sheets)].map((name) => join(siteDir, name))
  const { output } = (await compile({
    build: { write: false, rolldownOptions: { input } },
  })) as Rolldown.RolldownOutput
  const files: Record<string, string> = {}
  let landing = ''
  const scripts: Record<string, string> = {}
  for (const file of output) {
    const [source = ''] = file.type === 'asset' ? file.originalFileNames : []
    if (file.type === 'chunk') {
      if (file.facadeModuleId) scripts[relative(siteDir, file.facadeModuleId)] = `/${file.fileName}`
      const isForm = file.facadeModuleId?.endsWith(formCode)
      // Makes Chrome compile the whole file off the main thread. On a slow CPU, the form is ready in a third less
      // time (`npm run bench -- page`).
      write(file.fileName, isForm ? `//# allFunctionsCalledOnLoad\n${file.code}` : file.code)
    } else if (source === sheets.landing) {
      landing = String(file.source).trim()
    } else {
      files[source] = `/${file.fileName}`
      write(file.fileName, file.source)
    }
  }
  const find = (names: Record<string, string>, name: string) => names[name] ?? ''
  const styles = {
    landing: { code: landing },
    belowFold: { url: find(files, sheets.belowFold) },
    notFound: { url: find(files, sheets.notFound) },
  }
  return {
    formCode: find(scripts, formCode),
    reviewMotion: find(scripts, reviewMotion),
    missingPage: { url: find(scripts, missingPage) },
    files,
    styles,
  }
}

/** Copies the pictures, with a hash in each name, so that browsers can cache them forever. */
function copyPictures(write: (name: string, data: Uint8Array) => void) {
  const files: Record<string, string> = {}
  const read = (path: string) => readFileSync(join(siteDir, path))
  const hash = (data: Uint8Array) =>
    createHash('sha256').update(data).digest('base64url').slice(0, 5)
  const paths = listFiles().filter((file) => file.startsWith('pictures/'))
  // The page may contain the URLs of many avatars, so give them one shared hash and short names.
  const avatars = paths.filter((path) => path.startsWith('pictures/avatars/'))
  const avatarsHash = hash(Buffer.concat(avatars.map(read)))
  for (const path of paths) {
    const data = read(path)
    const { name, ext } = parse(path)
    const fileName = avatars.includes(path)
      ? `assets/${avatarsHash}-${avatars.indexOf(path)}${ext}`
      : `assets/${name}-${hash(data)}${ext}`
    write(fileName, data)
    files[path] = `/${fileName}`
  }
  return files
}

/** Bundles an inline script separately, so that the code it shares with the form is in the script itself. */
async function compileInlineScript(file: string) {
  const rolldownOptions = { input: join(siteDir, file), output: { format: 'iife' } } as const
  const { output } = (await compile({
    build: { write: false, modulePreload: false, rolldownOptions },
  })) as Rolldown.RolldownOutput
  return { code: output[0].code.trim() }
}

/** Bundles the renderer together with React, so that the server needs no packages to run it. */
async function compileRenderer(outDir: string): Promise<typeof import('../render/render.tsx')> {
  const { output } = (await compile({
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: { write: false, ssr: join(siteDir, 'render/render.tsx') },
  })) as Rolldown.RolldownOutput
  const file = join(outDir, 'render.mjs')
  mkdirSync(outDir, { recursive: true })
  // Write only the entry, because only browsers load the other chunks.
  writeFileSync(file, output[0].code)
  return import(pathToFileURL(file).href)
}

/** Formats the files for search engines. A sitemap requires the public URL. */
function formatCrawlerFiles(publicUrl: string | undefined): Record<string, string> {
  const everything = 'User-agent: *\nAllow: /\n'
  if (publicUrl === undefined) return { 'robots.txt': everything }
  const page = new URL(`${publicUrl}/`).href.replaceAll('&', '&amp;').replaceAll("'", '&apos;')
  return {
    'robots.txt': `${everything}Sitemap: ${publicUrl}/sitemap.xml\n`,
    'sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${page}</loc></url></urlset>
`,
  }
}

if (import.meta.main) await buildSite()
