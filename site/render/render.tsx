import type { ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { LandingPage } from '../landing-page.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import type { Content } from '../schema/content-schema.ts'
import { fillIn } from '../schema/placeholders.ts'
import type { Build, PageProps } from './build.ts'
import { LandingHead, NotFoundHead } from './head.tsx'
import { formatSiteHeaders } from './site-headers.ts'

export type Page = {
  index: string
  notFound: string
  /** A `_headers` file, whose Content-Security-Policy allows the inline code of both pages by hash. */
  headers: string
}

/** Renders both pages. The build calls this, and so does the server when the owner publishes. */
export function render(content: Content, build: Build): Page {
  const props = { content: fillIn(content), build }
  const index = formatDocument([LandingHead, LandingPage], props)
  const notFound = formatDocument([NotFoundHead, NotFoundPage], props)
  return { index, notFound, headers: formatSiteHeaders({ ...build, pages: [index, notFound] }) }
}

/** Renders without React's markup for hydration, which only the form needs (estimate-card.tsx). */
function formatDocument(parts: ComponentType<PageProps>[], props: PageProps): string {
  const [head, body] = parts.map((Part) => shorten(renderToStaticMarkup(<Part {...props} />)))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}</head>
<body>${body}</body></html>
`
}

/** Shortens React's verbose HTML, which saves a hundred bytes after compression. */
const shorten = (html: string) =>
  html
    .replaceAll('&#x27;', "'")
    .replace(/><\/(path|use)>/g, '/>')
    .replace(/(<(?:img|input|link|meta|source)\b[^>]*)\/>/g, '$1>')
    .replace(/ data-content="([^"]*)"/, (_, json: string) => {
      const quoted = json.replaceAll("'", '&#39;').replaceAll('&quot;', '"')
      return ` data-content='${quoted}'`
    })
