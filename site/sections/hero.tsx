import { requiredFields } from '#leads/lead.ts'
import { callHref, company, form, hero } from '../content.ts'
import { attemptKey, draftKey } from '../estimate-form/attempt.ts'
import { EstimateForm } from '../estimate-form/estimate-form.tsx'

/** Preloaded in the page's head, so both must name the same files. */
export const heroPictures = {
  // One size for all phones: under the shade nobody sees more pixels, and each kilobyte is 5 ms of 4G.
  phone: { media: '(max-width: 767px)', srcSet: '/pictures/hero-portrait-640.avif' },
  wide: {
    media: '(min-width: 768px)',
    srcSet: [1024, 1440, 1920].map((px) => `/pictures/hero-${px}.avif ${px}w`).join(', '),
    sizes: '100vw',
  },
}

export function Hero() {
  return (
    <section aria-labelledby="headline" className="hero">
      <picture>
        <source type="image/avif" {...heroPictures.phone} />
        <source type="image/avif" {...heroPictures.wide} />
        <img
          src="/pictures/hero-1024.webp"
          alt=""
          width="1920"
          height="1080"
          fetchPriority="high"
          className="hero-picture"
        />
      </picture>
      <div className="hero-grid page-width">
        <div className="hero-words">
          {/* On a phone the header has room for the mark only. */}
          <p className="hero-company">{company.name}</p>
          <h1 id="headline">{hero.headline}</h1>
          <p>{hero.lead}</p>
        </div>
        <div className="hero-form">
          <div id="estimate-outcomes">
            <p id="estimate-received" className="outcome">
              {form.toasts.received}
            </p>
            <p id="estimate-incomplete" className="outcome">
              {form.toasts.incomplete}. {form.notes.incompletePlain}
            </p>
            <p id="estimate-failed" className="outcome">
              {form.toasts.failed} {form.notes.failedPlain} <a href={callHref}>{company.phone}</a>
            </p>
            {requiredFields.map((field) => (
              <p key={field} id={`estimate-${field}`} className="outcome">
                {form.notes.refusedPlain(form.labels[field])} <a href={callHref}>{company.phone}</a>
              </p>
            ))}
          </div>
          {/* Hydrated alone: nothing else on the page needs React in the browser. */}
          <div
            id="estimate"
            data-code="/estimate-form/main.tsx"
            data-draft={draftKey}
            data-attempt={attemptKey}
            data-waiting={`${form.notes.waiting} ${company.phone.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011')}`}
          >
            <EstimateForm />
          </div>
        </div>
        <dl className="hero-statistics">
          {hero.statistics.map(({ value, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}
