import type { PageProps } from '../render/build.ts'
import { formatArea } from './area.ts'
import { formatCallHref } from './call-href.ts'
import { Logo } from './logo.tsx'
import { formatOpeningHours } from './opening-hours.ts'
import { ToTopButton } from './to-top-button.tsx'

export function Footer({ content: { company, footer, header, hours } }: PageProps) {
  const { name, phone, address, email, license, social = [] } = company
  return (
    <footer className="site-footer later">
      <div className="page-width footer-columns">
        <div>
          <Logo name={name} tone="light" />
          <p>{footer.tagline}</p>
          <p>{formatArea(company)}</p>
        </div>
        <nav aria-labelledby="quick-links">
          <h2 id="quick-links" className="large">
            {footer.quickLinks}
          </h2>
          <ToTopButton className="footer-link">{footer.estimate}</ToTopButton>
          {social.map(({ name, url }) => (
            <div key={url}>
              <a href={url} className="footer-link">
                {name}
              </a>
            </div>
          ))}
        </nav>
        <div>
          <h2 className="large">
            {hours.open === 'always' ? footer.callHeading : header.limitedHours.anytime}
          </h2>
          <a href={formatCallHref(phone)} className="footer-link footer-phone">
            {phone}
          </a>
          {hours.open !== 'always' && <p>{formatOpeningHours(hours.open)}</p>}
          {email && (
            <div>
              <a href={`mailto:${email}`} className="footer-link">
                {email}
              </a>
            </div>
          )}
          {address && (
            <address>
              {address.street}
              <br />
              {address.city}, {address.state} {address.zip}
            </address>
          )}
        </div>
      </div>
      <div className="page-width">
        <p className="rights">
          © <span data-year>{new Date().getFullYear()}</span> {name}. {footer.rights}
          {license && ` ${license}`}
        </p>
      </div>
    </footer>
  )
}
