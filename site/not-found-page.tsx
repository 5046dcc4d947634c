import { drawings, palette } from '#leads/brand.json'
import { colorDrawing, formatDataUrl } from './build/drawing.ts'
import missingShingle from './pictures/missing-shingle.svg?raw'
import type { PageProps } from './render/build.ts'
import { formatCallHref } from './sections/call-href.ts'

const drawing = formatDataUrl(colorDrawing(missingShingle, { ...palette, ...drawings }))

export function NotFoundPage({ content: { company, notFound } }: PageProps) {
  return (
    <main className="not-found">
      <img src={drawing} alt="" width="360" height="240" />
      <h1>{notFound.heading}</h1>
      <p className="large">
        {notFound.text} <a href={formatCallHref(company.phone)}>{company.phone}</a>
      </p>
      <a href="/" className="button large">
        {notFound.home}
      </a>
    </main>
  )
}
