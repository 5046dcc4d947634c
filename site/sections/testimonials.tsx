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
        {rows.map((cards, index) => (
          <Row
            key={cards[0]?.text}
            cards={cards}
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
          {cards.map(({ name, text }) => (
            <li key={text} className="card">
              <div className="customer">
                <Picture of={name} />
                <div>
                  <p className="customer-name">{name}</p>
                  <p className="stars">
                    <span className="unseen">{testimonials.ratingLabel}</span>
                    <svg aria-hidden="true" width="80" height="16">
                      <use href="#five-stars" />
                    </svg>
                  </p>
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

const pictures = Object.keys(import.meta.glob('/pictures/avatars/*.svg'))

function Picture({ of }: { of: string }) {
  const picture = `/pictures/avatars/${of.toLowerCase().replaceAll(' ', '-')}.svg`
  if (!pictures.includes(picture)) return null
  return <img src={picture} alt="" width="48" height="48" loading="lazy" />
}
