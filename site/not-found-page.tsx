import { drawings, palette } from '#leads/brand.json'
import { colorDrawing, formatDataUrl } from './build/drawing.ts'
import { company, notFound } from './content.ts'
import missingShingle from './pictures/missing-shingle.svg?raw'
import { callHref } from './sections/call-href.ts'

const drawing = formatDataUrl(colorDrawing(missingShingle, { ...palette, ...drawings }))

export function NotFoundPage() {
  return (
    <main className="not-found">
      <img src={drawing} alt="" width="360" height="240" />
      <h1>{notFound.heading}</h1>
      <p className="large">
        {notFound.text} <a href={callHref}>{company.phone}</a>
      </p>
      <a href="/" className="button large">
        {notFound.home}
      </a>
    </main>
  )
}
