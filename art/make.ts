import { join } from 'node:path'
import { UserError } from '#leads/user-error.ts'
import { brand } from '#site/brand/brand.ts'
import { company } from '#site/content.ts'
import { cutBrand } from './brand.ts'
import { makeFont } from './font.ts'

const root = join(import.meta.dirname, '..')
const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  // `npm run brand -- font`: Archivo is cut again only when its package changes.
  if (process.argv[2] === 'font') await makeFont(join(root, 'site/fonts'))
  else await cutBrand({ root, brand, name: company.name, say })
} catch (error) {
  const { message, stack } = error as Error
  process.stderr.write(`${error instanceof UserError ? message : stack}\n`)
  process.exit(1)
}
