import { company, footer } from '../content.ts'
import { CallLink } from './call-link.tsx'
import { Logo } from './logo.tsx'
import { ToTopButton } from './to-top-button.tsx'

export function Footer() {
  return (
    <footer className="later bg-ink py-14 text-cream [--height:28rem] sm:[--height:13rem]">
      <div className="wide grid gap-10 sm:grid-cols-[2fr_1fr_1fr]">
        <div>
          <Logo tone="light" />
          <p className="mt-4 max-w-xs text-cream/80">{footer.tagline}</p>
        </div>
        <nav aria-labelledby="quick-links">
          <h2 id="quick-links" className="text-lg">
            {footer.quickLinks}
          </h2>
          <ToTopButton className="footer-link">{footer.estimate}</ToTopButton>
        </nav>
        <div>
          <h2 className="text-lg">{footer.callHeading}</h2>
          <CallLink className="footer-link whitespace-nowrap tabular-nums">
            {company.phone}
          </CallLink>
        </div>
      </div>
      <div className="wide">
        <p className="mt-12 border-t border-cream/15 pt-6 text-cream/70">
          © <span data-year>{new Date().getFullYear()}</span> {company.name}. {footer.rights}
        </p>
      </div>
    </footer>
  )
}
