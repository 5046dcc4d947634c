import { company } from '../content.ts'

/** The gable mark beside the name, for dark or for light backgrounds. */
export function Logo({ tone }: { tone: 'light' | 'dark' }) {
  return (
    <span data-logo={tone} className="logo">
      <svg viewBox="0 0 32 32" width="34" height="34" aria-hidden="true" fill="currentColor">
        <path d="M22 8V3.5h4v5.83l6 2v5L16 11 0 16.33v-5L16 6zM16 13.5l12 4v4.7l-12-4-12 4v-4.7zM16 20.7l12 4V28H4v-3.3z" />
      </svg>
      <span>{company.name}</span>
    </span>
  )
}
