import { drawings, palette } from '#leads/brand.json'
import { colorDrawing, formatDataUrl } from './build/drawing.ts'
import { notFound } from './content.ts'
import missingShingle from './pictures/missing-shingle.svg?raw'

const drawing = formatDataUrl(colorDrawing(missingShingle, { ...palette, ...drawings }))

export function NotFoundPage() {
  return (
    <main className="not-found">
      <img src={drawing} alt="" width="360" height="240" />
      <h1>{notFound.heading}</h1>
      <p className="large">{notFound.text}</p>
      <a href="/" className="button large">
        {notFound.home}
      </a>
    </main>
  )
}
