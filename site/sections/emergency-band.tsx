import { company, emergency } from '../content.ts'
import { callHref } from './call-href.ts'
import { Phone, Timer } from './icons.tsx'

export function EmergencyBand() {
  return (
    <section aria-labelledby="emergency" className="emergency-band later">
      <div className="page-width">
        <div>
          <h2 id="emergency">{emergency.heading}</h2>
          <p className="large">
            <Timer size={22} />
            <span>{emergency.text}</span> <span>{emergency.claim}</span>
          </p>
        </div>
        <a href={callHref} className="button">
          <Phone size={28} />
          <span className="unseen">{emergency.callLabel} </span>
          {company.phone}
        </a>
      </div>
    </section>
  )
}
