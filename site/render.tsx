import { renderToString } from 'react-dom/server'
import { LandingHead, LandingPage } from './landing-page.tsx'
import { NotFoundHead, NotFoundPage } from './not-found-page.tsx'

/** Both pages as HTML. Runs while building and developing, never in the browser. */
export function renderPage(page: 'landing' | 'not-found') {
  const [Head, Page] =
    page === 'landing' ? [LandingHead, LandingPage] : [NotFoundHead, NotFoundPage]
  return { head: renderToString(<Head />), body: renderToString(<Page />) }
}
