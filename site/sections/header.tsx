import { company, header } from '../content.ts'
import { CallLink } from './call-link.tsx'
import { Phone } from './icons.tsx'
import { Logo } from './logo.tsx'
import { ToTopButton } from './to-top-button.tsx'

export function Header() {
  return (
    <header className="site-header">
      <a href="#estimate" className="skip-link button">
        {header.skipLink}
      </a>
      <div className="wide flex min-h-16 flex-wrap items-center justify-between gap-x-3 lg:min-h-20">
        <a href="/" aria-label={company.name} className="grid shrink-0 py-2">
          <Logo tone="light" className="[grid-area:1/1] max-sm:[&>span]:hidden" />
          <Logo tone="dark" className="[grid-area:1/1] max-sm:[&>span]:hidden" />
        </a>
        <div className="flex flex-wrap items-center gap-x-2.5 sm:gap-x-6">
          <CallLink className="flex min-h-11 items-center gap-2.5 rounded-md leading-tight">
            <Phone size={20} className="max-sm:hidden" />
            <span>
              <span className="block text-xs font-medium opacity-85 sm:text-sm">
                {header.callLabel}
              </span>
              <span className="block font-display font-bold whitespace-nowrap tabular-nums sm:text-lg">
                {company.phone}
              </span>
            </span>
          </CallLink>
          <ToTopButton className="button">
            <span className="sm:hidden">{header.estimateShort}</span>
            <span className="max-sm:hidden">{header.estimate}</span>
          </ToTopButton>
        </div>
      </div>
    </header>
  )
}
