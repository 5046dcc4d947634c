import { renderToString } from 'react-dom/server'
import { LandingPage } from '../landing-page.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { LandingHead, NotFoundHead } from './head.tsx'

/** Both pages as HTML. Runs while building and developing, never in the browser. */
export function renderPage(page: 'landing' | 'not-found', publicUrl: string | undefined) {
  const [head, body] =
    page === 'landing'
      ? [<LandingHead key="head" publicUrl={publicUrl} />, <LandingPage key="body" />]
      : [<NotFoundHead key="head" />, <NotFoundPage key="body" />]
  return { head: renderToString(head), body: renderToString(body) }
}
