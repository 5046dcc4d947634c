import { isLimited, type PageProps } from '../render/build.ts'
import { formatCallHref } from './call-href.ts'
import { Phone } from './icons.tsx'
import { Logo, measureName } from './logo.tsx'
import { ToTopButton } from './to-top-button.tsx'

export function Header({ content }: PageProps) {
  const { company, header } = content
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
          data-name={measureName(company.name)}
        >
          <Logo name={company.name} />
        </a>
        <div className="header-actions">
          <a href={formatCallHref(company.phone)} className="header-call">
            <Phone size={20} />
            <span>
              <CallLabel content={content} />
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

/** If the company is not always open, the inline script shows its hours (show-hours.ts). */
function CallLabel({ content }: Pick<PageProps, 'content'>) {
  const { header, hours } = content
  const { anytime, open, closed, emergency } = header.limitedHours
  const whenClosed = hours.emergencies === 'always' ? emergency : closed
  return isLimited(content) ? (
    <span className="call-label" data-open-until={open} data-otherwise={whenClosed}>
      {anytime}
    </span>
  ) : (
    <span className="call-label">{header.callLabel}</span>
  )
}
