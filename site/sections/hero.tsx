import { fieldNames, leadFields } from '#leads/fields.ts'
import { company, form, hero, hours } from '../content.ts'
import { EstimateForm, isLimited } from '../estimate-form/estimate-form.tsx'
import { formatArea } from './area.ts'
import { callHref } from './call-href.ts'
import { hasLongName } from './logo.tsx'

/** The page's head preloads the same files. */
export const heroPictures = {
  // One size for all phones: the gradient hides the difference, and each kilobyte costs 5 ms on 4G.
  phone: { media: '(max-width: 767px)', srcSet: '/pictures/hero-portrait-640.avif' },
  wide: {
    media: '(min-width: 768px)',
    srcSet: [1024, 1440, 1920].map((px) => `/pictures/hero-${px}.avif ${px}w`).join(', '),
    sizes: '100vw',
  },
}

const [beforeTime, afterTime] = form.closed.note('{time}').split('{time}')
const phoneLink = <a href={callHref}>{company.phone}</a>

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
          {/* For screens whose header has space only for the logo. */}
          <p className="hero-company" data-long={hasLongName || undefined}>
            {company.name}
          </p>
          <h1 id="headline">{hero.headline}</h1>
          <p>
            {hero.lead} {formatArea()}.
          </p>
        </div>
        <div className="hero-form">
          {/* The outcome of a native post, and the inline script's notices; hidden otherwise. */}
          <div id="estimate-outcomes" role="status">
            <p id="estimate-received" className="outcome">
              <span>{form.toasts.received}</span>
              {/* After a reload, the inline script shows this instead, with the time. */}
              <span hidden>
                {beforeTime}
                <time />
                {afterTime}
              </span>{' '}
              {form.notes.questions} {phoneLink}
            </p>
            {isLimited && (
              <p id="estimate-received-closed" className="outcome">
                <span data-open={form.closed.noteAnytime} data-closed={form.closed.note('{time}')}>
                  {form.closed.noteAnytime}
                </span>{' '}
                {form.notes.questions} {phoneLink}
              </p>
            )}
            <p id="estimate-incomplete" className="outcome">
              {form.toasts.incomplete}
              <span>. {form.notes.incompletePlain}</span>
            </p>
            <p id="estimate-offline" className="outcome">
              {form.notes.offline} {phoneLink}
            </p>
            <p id="estimate-failed" className="outcome">
              {form.toasts.failed} {form.notes.failedPlain} {phoneLink}
            </p>
            {fieldNames.map((field) => (
              <p key={field} id={`estimate-${field}`} className="outcome">
                {form.notes.refusedPlain(leadFields[field].noun)} {phoneLink}
              </p>
            ))}
          </div>
          {/* React hydrates only the form. Nothing else needs React in the browser. */}
          <div
            id="estimate"
            data-code="/estimate-form/main.tsx"
            data-hours={isLimited ? JSON.stringify(hours) : undefined}
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
