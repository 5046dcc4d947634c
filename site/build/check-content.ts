import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { UserError } from '#leads/user-error.ts'
import { publicAddress } from '#leads/variables.ts'
import { findOldBrand } from '../brand/brand-stamp.ts'
import { type Brand, brandSchema } from '../schema/brand-schema.ts'
import { type Content, checkOptions, contentSchema } from '../schema/content-schema.ts'
import { findContentWarnings } from '../schema/content-warnings.ts'
import { fillIn } from '../schema/placeholders.ts'
import { group } from '../schema/rules.ts'

/* Checks the two files that the owner edits. */

const checkout = fileURLToPath(new URL('../..', import.meta.url))

export const readContent = (root = checkout): Promise<Content> =>
  readFile(root, 'site/content.ts', contentSchema)

export const readBrand = async (root = checkout): Promise<Brand> =>
  (await readFile(root, 'site/brand/brand.ts', group({ brand: brandSchema }))).brand

async function readFile<Rules extends v.GenericSchema>(root: string, path: string, rules: Rules) {
  const file = join(root, path)
  let read: unknown
  try {
    // Node caches modules by URL, but the dev server must reread the file after each change.
    read = await import(`${pathToFileURL(file)}?${statSync(file).mtimeMs}`)
  } catch (error) {
    throw explainUnreadable(path, error as Error)
  }
  return checkFile(path, rules, read)
}

function explainUnreadable(path: string, { message, stack = '' }: Error) {
  const [, line] = stack.match(/\.ts(?:\?[\d.]+)?:(\d+)/) ?? []
  const place = line === undefined ? '' : ` at line ${line}, or just before it`
  return fail(
    `${path} cannot be read${place} (${message.replace(/\.$/, '')}).\nPut each text in quotes '…', write an apostrophe inside it as \\', and end each entry with a comma.`,
  )
}

function checkFile<Rules extends v.GenericSchema>(
  path: string,
  rules: Rules,
  value: unknown,
): v.InferOutput<Rules> {
  const { success, issues } = v.safeParse(rules, value, checkOptions)
  // Return the original, because Valibot's copy has its entries in a different order.
  if (success) return value as v.InferOutput<Rules>
  throw fail(
    issues.map((issue) => `${path}: ${formatPath(issue.path)} ${issue.message}`).join('\n'),
  )
}

export const checkContent = (value: unknown) => checkFile('site/content.ts', contentSchema, value)

/** Example: “testimonials.reviews entry 2 (Tom Becker).text”. */
const formatPath = (path: readonly { key: unknown; value: unknown }[] = []) =>
  path
    .map(({ key, value }) => {
      if (typeof key !== 'number') return `.${key}`
      const { name, title = name } = Object(value)
      return ` entry ${key + 1}${typeof title === 'string' && title ? ` (${title})` : ''}`
    })
    .join('')
    .slice(1)

/** Vite prints only the stack, so put the message there. */
function fail(message: string) {
  const error = new UserError(message)
  error.stack = message
  return error
}

/** Fails the build if PUBLIC_URL is invalid, because the page contains it. */
function checkPublicUrl() {
  for (const file of ['.env.local', '.env']) if (existsSync(file)) process.loadEnvFile(file)
  const { issues } = v.safeParse(publicAddress, process.env.PUBLIC_URL?.trim() || undefined)
  if (issues) throw new UserError(`PUBLIC_URL ${issues[0].message}. Change it in .env.`)
}

if (import.meta.main)
  try {
    const content = fillIn(await readContent())
    const brand = await readBrand()
    checkPublicUrl()
    for (const { text, next } of findContentWarnings(content, Date.now()))
      process.stderr.write(`site/content.ts: ${text} ${next}.\n`)
    const oldBrand = findOldBrand({ root: checkout, brand, content })
    if (oldBrand) process.stderr.write(`${oldBrand} Run: npm run brand\n`)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
