import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { LandingPage } from '../landing-page.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import type { Content } from '../schema/content-schema.ts'
import { fillIn } from '../schema/placeholders.ts'
import { type Build, type Code, isLimited, type PageProps } from './build.ts'
import { LandingHead, NotFoundHead } from './head.tsx'
import { formatSiteHeaders } from './site-headers.ts'

export type Page = {
  index: string
  notFound: string
  /** A `_headers` file, whose policy allows the inline code of both pages by hash. */
  headers: string
}

// The browser loads an icon after the page, so it would only delay the page if it were inline.
const icons =
  '<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">'

// The specification asks for this message.
const reportMissingPage = `console.error('404: there is no page at', location.pathname)`

/** Renders both pages. The build calls this for the static files, and the server when the owner publishes. */
export function render(content: Content, build: Build): Page {
  const props = { content: fillIn(content), build }
  const { scripts, styles } = build
  const index = formatDocument([
    [LandingHead, props],
    `${icons}<link rel="apple-touch-icon" href="/apple-touch-icon.png">${formatStyle(styles.landing)}`,
    [LandingPage, props],
    formatScript(isLimited(content) ? scripts.limitedHours : scripts.alwaysOpen),
  ])
  const notFound = formatDocument([
    [NotFoundHead, props],
    `${icons}${formatStyle(styles.notFound)}<script>${reportMissingPage}</script>`,
    [NotFoundPage, props],
    '',
  ])
  return { index, notFound, headers: formatSiteHeaders({ ...build, pages: [index, notFound] }) }
}

type Part = [ComponentType<PageProps>, PageProps]

/** React would move links to other places in the head, so it renders only the parts. */
function formatDocument([head, files, body, script]: [Part, string, Part, string]): string {
  const [inHead, inBody] = [head, body].map(([Component, props]) =>
    renderToString(<Component {...props} />),
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${inHead}${files}</head>
<body>${inBody}${script}</body></html>
`
}

const formatStyle = (style: Code) =>
  'url' in style ? `<link rel="stylesheet" href="${style.url}">` : `<style>${style.code}</style>`

/** At the end and async, so that it runs in a separate task, after the layout that autofill triggers. */
const formatScript = (script: Code) =>
  'url' in script
    ? `<script type="module" src="${script.url}"></script>`
    : `<script type="module" async>${script.code}</script>`
