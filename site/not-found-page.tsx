import { head, notFound } from './content.ts'

export function NotFoundPage() {
  return (
    <main className="grid min-h-svh place-content-center justify-items-center gap-5 bg-cream px-6 py-12 text-center">
      <img
        src="/site/pictures/missing-shingle.svg"
        alt=""
        width="360"
        height="240"
        className="h-auto w-72 sm:w-90"
      />
      <h1 className="text-4xl sm:text-5xl">{notFound.heading}</h1>
      <p className="max-w-md text-lg text-balance text-slate">{notFound.text}</p>
      <a href="/" className="button mt-3 text-lg">
        {notFound.home}
      </a>
    </main>
  )
}

export function NotFoundHead() {
  return (
    <>
      <title>{head.notFoundTitle}</title>
      <meta name="robots" content="noindex" />
    </>
  )
}
