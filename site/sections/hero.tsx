import { fieldNames, leadFields } from '#leads/fields.ts'
import { EstimateForm } from '../estimate-form/estimate-form.tsx'
import { pickFormContent } from '../estimate-form/form-content.ts'
import { type Build, findFile, isLimited, type PageProps } from '../render/build.ts'
import { fill } from '../schema/placeholders.ts'
import { formatArea } from './area.ts'
import { formatCallHref } from './call-href.ts'
import { isLongName } from './logo.tsx'

/** The page's head preloads the same files. */
export function listHeroPictures(build: Build) {
  const find = (size: string) => findFile(build, `pictures/hero-${size}.avif`)
  return {
    // One size for all phones: the gradient hides the difference, and each kilobyte costs 5 ms on 4G.
    phone: { media: '(max-width: 767px)', srcSet: find('portrait-640') },
    wide: {
      media: '(min-width: 768px)',
      srcSet: [1024, 1440, 1920].map((px) => `${find(`${px}`)} ${px}w`).join(', '),
      sizes: '100vw',
    },
  }
}

export function Hero({ content, build }: PageProps) {
  const { company, form, hero } = content
  const pictures = listHeroPictures(build)
  const formContent = pickFormContent(content, build)
  const [beforeTime, afterTime] = form.closed.note.split('{time}')
  const phoneLink = <a href={formatCallHref(company.phone)}>{company.phone}</a>
  return (
    <section aria-labelledby="headline" className="hero">
      <picture>
        <source type="image/avif" {...pictures.phone} />
        <source type="image/avif" {...pictures.wide} />
        <img
          src={findFile(build, 'pictures/hero-1024.webp')}
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
          <p className="hero-company" data-long={isLongName(company.name) || undefined}>
            {company.name}
          </p>
          <h1 id="headline">{hero.headline}</h1>
          <p>
            {hero.lead} {formatArea(company)}.
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
            {isLimited(content) && (
              <p id="estimate-received-closed" className="outcome">
                <span data-open={form.closed.noteAnytime} data-closed={form.closed.note}>
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
                {fill(form.notes.refusedPlain, { field: leadFields[field].noun })} {phoneLink}
              </p>
            ))}
          </div>
          {/* React hydrates only the form. Nothing else needs React in the browser. */}
          <div id="estimate" data-code={build.formCode} data-content={JSON.stringify(formContent)}>
            <EstimateForm content={formContent} />
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
