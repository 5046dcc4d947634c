import { company, header, hours } from '../content.ts'
import { isLimited } from '../estimate-form/estimate-form.tsx'
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
              <CallLabel />
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

/** If the company is not always open, the inline script shows its hours (page-with-hours.ts). */
function CallLabel() {
  const { anytime, open, closed, emergency } = header.limitedHours
  const whenClosed = hours.emergencies === 'always' ? emergency : closed
  return isLimited ? (
    <span className="call-label" data-open-until={open} data-otherwise={whenClosed}>
      {anytime}
    </span>
  ) : (
    <span className="call-label">{header.callLabel}</span>
  )
}
