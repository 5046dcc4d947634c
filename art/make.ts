import { fileURLToPath } from 'node:url'
import { makeFont } from './font.ts'
import { makeIcons, makeSharePicture } from './icons.ts'
import { makePictures } from './pictures.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const art = `${root}art`
const pictures = `${root}site/pictures`
const fonts = `${root}site/fonts`
const publicDir = `${root}site/public`

// `npm run art -- share`: after a change of the company's name, which is all that the picture of
// shared links takes from site/content.ts. The rest takes a minute.
if (process.argv[2] !== 'share') {
  await makeFont(fonts)
  await makeIcons(publicDir)
  await makePictures(art, pictures)
}
await makeSharePicture(art, pictures, publicDir)
