import type { Build, PageProps } from '../render/build.ts'
import type { Content } from '../schema/content-schema.ts'
import { FiveStars, FiveStarsDrawing, Pause, Play } from './icons.tsx'

type Review = Content['testimonials']['reviews'][number]
type Testimonial = Review & { id: number; image: string | undefined }

// Aim for at least six cards in a row, because such a row can move on any screen (review-motion.ts).
const [maxRows, rowLength] = [3, 6]

/** Adds an ID and a picture to each review, so that the owner doesn't have to, and splits the list into rows. */
export function arrangeReviews(reviews: readonly Review[], files: Build['files']): Testimonial[][] {
  const testimonials = reviews.map((review, index) => {
    const file = `pictures/avatars/${review.name.toLowerCase().replaceAll(' ', '-')}.svg`
    return { ...review, id: index + 1, image: files[file] }
  })
  const count = Math.min(maxRows, Math.max(1, Math.floor(reviews.length / rowLength)))
  const length = Math.ceil(reviews.length / count)
  return Array.from({ length: count }, (_, row) =>
    testimonials.slice(row * length, (row + 1) * length),
  ).filter((cards) => cards.length > 0)
}

export function Testimonials({ content: { testimonials }, build }: PageProps) {
  const rows = arrangeReviews(testimonials.reviews, build.files)
  if (rows.length === 0) return null
  return (
    <section
      aria-labelledby="testimonials"
      data-testimonials
      data-motion={build.reviewMotion}
      className="testimonials section deferred"
    >
      <div className="page-width heading">
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
      {/* Each card reuses this drawing. */}
      <svg aria-hidden="true" className="star-drawing">
        <FiveStarsDrawing />
      </svg>
      <div className="rows">
        {rows.map((cards, index) => (
          <Row
            key={cards[0]?.id}
            cards={cards}
            label={`${testimonials.rowLabel} ${index + 1}`}
            ratingLabel={testimonials.ratingLabel}
            direction={index % 2 === 0 ? 'left' : 'right'}
          />
        ))}
      </div>
      {testimonials.allReviews && (
        <p className="page-width">
          <a href={testimonials.allReviews.url} className="all-reviews">
            {testimonials.allReviews.label}
          </a>
        </p>
      )}
    </section>
  )
}

/** Example: “Roof repair, Saint Paul · March 2026, Google”. */
const formatFacts = ({ job, town, month, source }: Partial<Review>) =>
  [
    [job, town],
    [month, source],
  ]
    .map((facts) => facts.filter(Boolean).join(', '))
    .filter(Boolean)
    .join(' · ')

/** Formats Maria del Carmen Delgado as MD. */
function formatInitials(name: string): string {
  const words = name.split(' ').filter((word) => /^\p{L}/u.test(word))
  return [words[0], words.length > 1 && words.at(-1)]
    .map((word) => word && [...word][0]?.toUpperCase())
    .filter(Boolean)
    .join('')
}

type RowProps = {
  cards: readonly Testimonial[]
  label: string
  ratingLabel: string
  direction: 'left' | 'right'
}

function Row({ cards, label, ratingLabel, direction }: RowProps) {
  return (
    // The row is focusable, so that keyboard users can scroll it. Focus also pauses its motion.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="row deferred" data-direction={direction} aria-label={label} tabIndex={0}>
      <div className="row-track">
        <ul>
          {cards.map(({ id, name, image, text, ...facts }) => (
            <li key={id} className="card">
              <p>
                <span className="unseen">{ratingLabel}</span>
                <FiveStars />
              </p>
              <blockquote>{text}</blockquote>
              <div className="customer">
                {image ? (
                  <img src={image} alt="" width="44" height="44" loading="lazy" />
                ) : (
                  <span aria-hidden="true" className="initials">
                    {formatInitials(name)}
                  </span>
                )}
                <div>
                  <p className="customer-name">{name}</p>
                  <p>{formatFacts(facts)}</p>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
