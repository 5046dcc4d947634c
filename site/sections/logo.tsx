import { company } from '../content.ts'

/** The gable mark beside the name, for dark or for light backgrounds. */
export function Logo({ tone, className = '' }: { tone: 'light' | 'dark'; className?: string }) {
  return (
    <span
      data-logo={tone}
      className={`flex items-center gap-2.5 font-display text-xl font-extrabold tracking-tight ${tone === 'light' ? 'text-cream' : 'text-ink'} ${className}`}
    >
      <svg viewBox="0 0 48 32" width="42" height="28" aria-hidden="true" fill="none">
        <path d="M2 20 24 4l22 16" stroke="currentColor" strokeWidth="5" strokeLinejoin="round" />
        <path d="M9 28h30" stroke="currentColor" strokeWidth="4" />
      </svg>
      <span className="whitespace-nowrap">{company.name}</span>
    </span>
  )
}
