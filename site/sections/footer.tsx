import type { PageProps } from '../render/build.ts'
import { sectionNames } from '../schema/content-schema.ts'
import { formatArea } from './area.ts'
import { formatCallHref } from './call-href.ts'
import { Logo } from './logo.tsx'
import { listOpeningHours } from './opening-hours.ts'
import { ToTopButton } from './to-top-button.tsx'

export function Footer({ content }: PageProps) {
  const { company, footer, header, hours, testimonials } = content
  const { name, phone, address, email, license, social = [] } = company
  const sections = sectionNames.filter(
    (name) => footer.links[name] && (name !== 'testimonials' || testimonials.reviews.length > 0),
  )
  const links = [
    ...sections.map((name) => ({ url: `#${name}`, label: footer.links[name] })),
    ...social.map(({ name, url }) => ({ url, label: name })),
  ]
  return (
    <footer className="site-footer deferred">
      <div className="page-width footer-columns">
        <div>
          <Logo name={name} />
          <p>{footer.tagline}</p>
          <p>{formatArea(company)}</p>
          {address && (
            <address>
              {address.street}
              <br />
              {address.city}, {address.state} {address.zip}
            </address>
          )}
        </div>
        <nav aria-labelledby="quick-links">
          <h2 id="quick-links">{footer.quickLinks}</h2>
          <ToTopButton className="footer-link">{footer.estimate}</ToTopButton>
          {links.map(({ url, label }) => (
            <a key={url} href={url} className="footer-link">
              {label}
            </a>
          ))}
        </nav>
        <div>
          <h2>{hours.open === 'always' ? footer.callHeading : header.limitedHours.anytime}</h2>
          <a href={formatCallHref(phone)} className="footer-link footer-phone">
            {phone}
          </a>
          {email && (
            <a href={`mailto:${email}`} className="footer-link">
              {email}
            </a>
          )}
          {(hours.open === 'always' ? [footer.alwaysOpen] : listOpeningHours(hours.open)).map(
            (line) => (
              <p key={line}>{line}</p>
            ),
          )}
          {license && <p>{license}</p>}
        </div>
      </div>
      <div className="page-width">
        <p className="rights">
          © <span data-year>{new Date().getFullYear()}</span> {name}. {footer.rights}
        </p>
      </div>
    </footer>
  )
}
