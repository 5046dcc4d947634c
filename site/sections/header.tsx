import { company, header } from '../content.ts'
import { callHref } from './call-href.ts'
import { Phone } from './icons.tsx'
import { hasLongName, Logo } from './logo.tsx'
import { ToTopButton } from './to-top-button.tsx'

export function Header() {
  return (
    <header className="site-header">
      <a href="#estimate" className="skip-link button">
        {header.skipLink}
      </a>
      <div className="page-width">
        <a
          href="/"
          aria-label={company.name}
          className="home-link"
          data-long={hasLongName || undefined}
        >
          <Logo tone="light" />
          <Logo tone="dark" />
        </a>
        <div className="header-actions">
          <a href={callHref} className="header-call">
            <Phone size={20} />
            <span>
              <span className="call-label">{header.callLabel}</span>
              <span className="call-number">{company.phone}</span>
            </span>
          </a>
          <ToTopButton className="button">
            <span className="short-label">{header.estimateShort}</span>
            <span className="long-label">{header.estimate}</span>
          </ToTopButton>
        </div>
      </div>
    </header>
  )
}
