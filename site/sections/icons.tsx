import type { SVGProps } from 'react'

// Icons from Lucide (icons-license.txt). Prefer those with short paths, because the page contains them.

const draw = (...lines: string[]) =>
  function Icon({ size = 24, ...props }: SVGProps<SVGSVGElement> & { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...props}
      >
        {lines.map((line) => (
          <path key={line} d={line} />
        ))}
      </svg>
    )
  }

export const BadgeCheck = draw(
  'M3.85 8.62a4 4 0 0 1 4.78-4.77 4 4 0 0 1 6.74 0 4 4 0 0 1 4.78 4.78 4 4 0 0 1 0 6.74 4 4 0 0 1-4.77 4.78 4 4 0 0 1-6.75 0 4 4 0 0 1-4.78-4.77 4 4 0 0 1 0-6.76Z',
  'm16 9-5.5 5.5L8 12',
)

export const CheckMark = draw('m16.5 9-6 6.5L7.5 12.5')

export const Hammer = draw(
  'm15 12-8.373 8.373a1 1 0 1 1-3-3L12 9',
  'm18 15 4-4',
  'm21.5 11.5-1.914-1.914A2 2 0 0 1 19 8.172V7l-2.26-2.26a6 6 0 0 0-4.202-1.756L9 2.96l.92.82A6.18 6.18 0 0 1 12 8.4V10l2 2h1.172a2 2 0 0 1 1.414.586L18.5 14.5',
)

export const House = draw('M3 9l9-7 9 7v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z', 'M9 22V12h6v10')

export const Pause = draw('M14 4h4v16h-4z', 'M6 4h4v16H6z')

export const Phone = draw(
  'M13.832 16.568a1 1 0 0 0 1.213-.303l.355-.465A2 2 0 0 1 17 15h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2A18 18 0 0 1 2 4a2 2 0 0 1 2-2h3a2 2 0 0 1 2 2v3a2 2 0 0 1-.8 1.6l-.468.351a1 1 0 0 0-.292 1.233 14 14 0 0 0 6.392 6.384',
)

export const Play = draw('M6 3l14 9-14 9z')

export const SearchCheck = draw(
  'm8 11 2 2 4-4',
  'M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0z',
  'm21 21-4.3-4.3',
)

export const ShieldCheck = draw('M12 22s8-4 8-10V5l-8-3-8 3v7c0 6 8 10 8 10z', 'm9 12 2 2 4-4')

const star = 'l2.9 5.9 6.6 1-4.8 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5-4.8-4.6 6.6-1z'

/** Stars that are filled. The stroke rounds their corners. */
export const FiveStarsDrawing = () => (
  <symbol
    id="five-stars"
    viewBox="0 0 120 24"
    fill="currentColor"
    stroke="currentColor"
    strokeWidth={2}
    strokeLinejoin="round"
  >
    <path d={`M12 2.5${[star, star, star, star, star].join('m24 0')}`} />
  </symbol>
)

/** Refers to the drawing in the review section. */
export const FiveStars = () => (
  <svg aria-hidden="true" className="stars">
    <use href="#five-stars" />
  </svg>
)

export const Timer = draw('M10 2h4', 'M12 14l3-3', 'M20 14a8 8 0 1 1-16 0 8 8 0 0 1 16 0z')
