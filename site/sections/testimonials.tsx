import { type Testimonial, testimonials } from '../content.ts'
import { Pause, Play, Star } from './icons.tsx'

export function Testimonials() {
  const rows = testimonials.rows.filter((row) => row.length > 0)
  if (rows.length === 0) return null
  return (
    <section
      aria-labelledby="testimonials"
      data-testimonials
      className="testimonials section later"
    >
      <div className="page-width">
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
      <svg aria-hidden="true" className="star-drawing">
        <symbol id="five-stars" viewBox="0 0 120 24">
          {[0, 24, 48, 72, 96].map((x) => (
            <Star key={x} x={x} fill="currentColor" strokeWidth={0} />
          ))}
        </symbol>
      </svg>
      <div className="rows">
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
            <li key={id} className="testimonial-card">
              <div className="customer">
                <img src={image} alt="" width="48" height="48" loading="lazy" />
                <div>
                  <p className="customer-name">{name}</p>
                  <Stars />
                </div>
              </div>
              <blockquote>{text}</blockquote>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Stars() {
  return (
    <p className="stars">
      <span className="spoken">{testimonials.ratingLabel}</span>
      <svg aria-hidden="true" width="80" height="16">
        <use href="#five-stars" />
      </svg>
    </p>
  )
}
