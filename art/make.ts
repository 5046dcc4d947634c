import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeAvatars } from './avatars.ts'
import { makeDrawings } from './drawings.ts'
import { makeFont } from './font.ts'
import { makeIcons, makeSharePicture } from './icons.ts'
import { makePictures } from './pictures.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const art = `${root}art`
const pictures = `${root}site/pictures`
const fonts = `${root}site/fonts`
const publicDir = `${root}public`

await mkdir(`${pictures}/avatars`, { recursive: true })
await mkdir(fonts, { recursive: true })
await mkdir(publicDir, { recursive: true })

// `npm run art -- share`: after a change of the company's name, which is all that the picture of
// shared links takes from site/content.ts. The rest takes a minute.
if (process.argv[2] !== 'share') {
  await makeAvatars(`${pictures}/avatars`)
  await makeDrawings(pictures, publicDir)
  await makeFont(fonts)
  await makeIcons(publicDir)
  await makePictures(art, pictures)
}
await makeSharePicture(art, publicDir)
