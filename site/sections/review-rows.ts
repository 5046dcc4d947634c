import type { Build } from '../render/build.ts'
import type { Content } from '../schema/content-schema.ts'

export type Review = Content['testimonials']['reviews'][number]
export type Testimonial = Review & { id: number; image: string | undefined; rating: 5 }

// Rows of six or more always move (review-motion.ts).
const [maxRows, rowLength] = [3, 6]

/** Adds IDs and pictures, so that the owner writes only names and reviews, and splits the list into rows. */
export function listRows(reviews: readonly Review[], files: Build['files']): Testimonial[][] {
  const toTestimonial = (review: Review, index: number): Testimonial => {
    const file = `pictures/avatars/${review.name.toLowerCase().replaceAll(' ', '-')}.svg`
    return { ...review, id: index + 1, image: files[file], rating: 5 }
  }
  const count = Math.min(maxRows, Math.max(1, Math.floor(reviews.length / rowLength)))
  const length = Math.ceil(reviews.length / count)
  const testimonials = reviews.map(toTestimonial)
  return Array.from({ length: count }, (_, row) =>
    testimonials.slice(row * length, (row + 1) * length),
  ).filter((cards) => cards.length > 0)
}
