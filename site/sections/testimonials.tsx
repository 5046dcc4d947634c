import { type Testimonial, testimonials } from '../content.ts'
import { Pause, Play, Star } from './icons.tsx'

export function Testimonials() {
  const rows = testimonials.rows.filter((row) => row.length > 0)
  if (rows.length === 0) return null
  return (
    <section
      aria-labelledby="testimonials"
      data-testimonials
      className="section later bg-sand/60 [--height:47rem] lg:[--height:42rem]"
    >
      <div className="wide flex min-h-12 items-center justify-between gap-4">
        <h2 id="testimonials">{testimonials.heading}</h2>
        <button
          type="button"
          hidden
          data-drift-button
          data-state="playing"
          data-pause={testimonials.pauseLabel}
          data-play={testimonials.playLabel}
          aria-label={testimonials.pauseLabel}
          className="drift-button"
        >
          <Pause size={20} data-icon="playing" />
          <Play size={20} data-icon="paused" />
        </button>
      </div>
      {/* Drawn once; each card shows it again. */}
      <svg aria-hidden="true" className="hidden">
        <symbol id="five-stars" viewBox="0 0 120 24">
          {[0, 24, 48, 72, 96].map((x) => (
            <Star key={x} x={x} fill="currentColor" strokeWidth={0} />
          ))}
        </symbol>
      </svg>
      <div className="mt-10 flex flex-col gap-4 md:gap-5">
        {rows.map((row, index) => (
          <Row
            key={row[0]?.id}
            cards={row}
            label={`${testimonials.rowLabel} ${index + 1}`}
            direction={index % 2 === 0 ? 'left' : 'right'}
          />
        ))}
      </div>
    </section>
  )
}

type RowProps = { cards: readonly Testimonial[]; label: string; direction: 'left' | 'right' }

function Row({ cards, label, direction }: RowProps) {
  return (
    // Focusable, because where nothing moves it is scrolled, and where it moves focus pauses it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="row" data-direction={direction} aria-label={label} tabIndex={0}>
      <div className="row-track">
        <ul>
          {cards.map(({ id, name, image, text }) => (
            <li key={id} className="card">
              <div className="flex items-center gap-3">
                <img
                  src={image}
                  alt=""
                  width="48"
                  height="48"
                  loading="lazy"
                  className="rounded-full"
                />
                <div>
                  <p className="font-display font-bold">{name}</p>
                  <Stars />
                </div>
              </div>
              <blockquote className="mt-3 text-slate">{text}</blockquote>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Stars() {
  return (
    <p className="flex text-copper">
      <span className="sr-only">{testimonials.ratingLabel}</span>
      <svg aria-hidden="true" width="80" height="16">
        <use href="#five-stars" />
      </svg>
    </p>
  )
}
