import { notFound } from './content.ts'

export function NotFoundPage() {
  return (
    <main className="not-found">
      <img src="/pictures/missing-shingle.svg" alt="" width="360" height="240" />
      <h1>{notFound.heading}</h1>
      <p className="large">{notFound.text}</p>
      <a href="/" className="button large">
        {notFound.home}
      </a>
    </main>
  )
}
