import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Context } from 'hono'
import { getMimeType } from 'hono/utils/mime'
import { UserError } from '#leads/user-error.ts'
import { compress } from '#site/build/compress.ts'
import { weigh } from '#site/build/weigh.ts'
import { parseSiteHeaders } from '#site/render/site-headers.ts'

type Encoding = 'br' | 'gzip' | 'identity'
type File = {
  type: string
  etag: string
  headers: Record<string, string>
  /** The encodings of the file, smallest first. */
  bodies: Map<Encoding, Uint8Array>
}

type Pages = { landing: File; notFound: File }

// The extensions of public files. Only the server reads other files, such as compressed copies and _headers.
const served = /\.(avif|css|html|ico|jpg|js|png|svg|txt|webmanifest|webp|woff2|xml)$/

/**
 * Serves the built site from memory (about 1 MB), so no request waits for the disk. `show` replaces the pages.
 * `overTls` means that visitors use HTTPS, even if the proxy does not send X-Forwarded-Proto.
 */
export function createStaticSite(folder: string, { overTls = false } = {}) {
  const headers = readHeaders(folder)
  const files = headers ? loadFiles(folder, headers) : new Map<string, File>()
  const landing = files.get('/index.html')
  const notFound = files.get('/404.html')
  if (!headers || !landing || !notFound) {
    throw new UserError(`The site has not been built: ${folder} has no pages. Run: npm run build`)
  }
  files.delete('/index.html')
  files.delete('/404.html')
  const built: Pages = { landing, notFound }
  let shown = built

  return {
    /** True for every file except the pages. */
    hasFile: (path: string) => files.has(path),
    serve(c: Context): Response {
      if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
        return c.text('Method not allowed', 405, { Allow: 'GET, HEAD' })
      }
      const file = c.req.path === '/' ? shown.landing : files.get(c.req.path)
      const response = file ? send(c, file, 200) : send(c, shown.notFound, 404)
      if (!overTls && c.req.header('X-Forwarded-Proto') !== 'https')
        response.headers.delete('Strict-Transport-Security')
      return response
    },
    /** Compresses rendered pages as the build does. */
    async prepare({ index, notFound, headers }: RenderedPages): Promise<Pages> {
      const { all } = addCaching(parseSiteHeaders(headers))
      return { landing: await makePage(index, all), notFound: await makePage(notFound, all) }
    },
    /** Replaces both pages in one step. */
    show(pages: Pages = built): void {
      shown = pages
    },
  }
}

/** The HTML of both pages, and the text of their `_headers` file. */
type RenderedPages = { index: string; notFound: string; headers: string }

async function makePage(html: string, headers: Record<string, string>): Promise<File> {
  const body = Buffer.from(html)
  const { br, gzip } = await compressPage(html)
  const bodies = new Map<Encoding, Uint8Array>([
    ['br', br],
    ['gzip', gzip],
    ['identity', body],
  ])
  return { type: 'text/html; charset=utf-8', etag: makeEtag(body), headers, bodies }
}

// Cache compressed pages: Brotli needs 0.1 s for each, and the editor weighs the page whenever someone opens, saves, or
// publishes it.
const recentPages = new Map<string, Awaited<ReturnType<typeof compress>>>()
async function compressPage(html: string) {
  const compressed = recentPages.get(html) ?? (await compress(Buffer.from(html)))
  recentPages.set(html, compressed)
  const [oldest = ''] = recentPages.keys()
  if (recentPages.size > 4) recentPages.delete(oldest)
  return compressed
}

/** Returns the size of the landing page's Brotli response in bytes, including its headers. */
export const weighPage = async ({ index, headers }: RenderedPages): Promise<number> =>
  weigh((await compressPage(index)).br, headers)

function send(c: Context, file: File, status: 200 | 404) {
  const encoding = chooseEncoding(c.req.header('Accept-Encoding') ?? '', file)
  const etag = `"${file.etag}-${encoding}"`
  c.header('ETag', etag)
  for (const [name, value] of Object.entries(file.headers)) c.header(name, value)
  if (file.bodies.size > 1) c.header('Vary', 'Accept-Encoding')
  if (status === 200 && matches(c.req.header('If-None-Match'), etag)) return c.body(null, 304)

  const body = file.bodies.get(encoding) as Uint8Array<ArrayBuffer>
  c.header('Content-Type', file.type)
  c.header('Content-Length', String(body.byteLength))
  if (encoding !== 'identity') c.header('Content-Encoding', encoding)
  return c.req.method === 'HEAD' ? c.body(null, status) : c.body(body, status)
}

/** Chooses the smallest accepted encoding. The order in the header is not a preference. */
function chooseEncoding(header: string, file: File): Encoding {
  const accepted = header.split(',').map((part) => part.trim().split(/\s*;\s*q=/))
  const accepts = (encoding: string) =>
    accepted.some(([name, weight]) => name === encoding && Number(weight ?? 1) > 0)
  return [...file.bodies.keys()].find(accepts) ?? 'identity'
}

function matches(ifNoneMatch: string | undefined, etag: string) {
  if (!ifNoneMatch) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

function readHeaders(folder: string) {
  const file = join(folder, '_headers')
  if (!existsSync(file)) return undefined
  return addCaching(parseSiteHeaders(readFileSync(file, 'utf8')))
}

/** Browsers revalidate pages, but not hashed files. */
const addCaching = ({ all, assets }: ReturnType<typeof parseSiteHeaders>) => ({
  all: { 'Cache-Control': 'no-cache', ...all },
  assets,
})

function loadFiles(folder: string, { all, assets }: NonNullable<ReturnType<typeof readHeaders>>) {
  const files = new Map<string, File>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const type = getMimeType(path)
    if (!type || !served.test(path) || !entry.isFile()) continue
    const url = `/${relative(folder, path).split(sep).join('/')}`
    const body = readFileSync(path)
    const bodies = new Map<Encoding, Uint8Array>()
    // The build writes the compressed versions.
    if (existsSync(`${path}.br`)) bodies.set('br', readFileSync(`${path}.br`))
    if (existsSync(`${path}.gz`)) bodies.set('gzip', readFileSync(`${path}.gz`))
    bodies.set('identity', body)
    const headers = url.startsWith('/assets/') ? { ...all, ...assets } : all
    files.set(url, { type, etag: makeEtag(body), headers, bodies })
  }
  return files
}

const makeEtag = (body: Uint8Array) =>
  createHash('sha256').update(body).digest('base64url').slice(0, 16)
