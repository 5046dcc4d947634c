import type { PageProps } from '../render/build.ts'
import { formatCallHref } from './call-href.ts'
import { Phone, Timer } from './icons.tsx'

export function EmergencyBand({ content: { company, emergency }, build }: PageProps) {
  const picture = build.files['pictures/night-1440.avif']
  return (
    <section aria-labelledby="emergency" className="emergency-band deferred">
      {picture && (
        <div className="night-picture near">
          <img src={picture} alt="" width="1440" height="480" loading="lazy" />
        </div>
      )}
      <div className="page-width">
        <div>
          <h2 id="emergency">{emergency.heading}</h2>
          <ul className="large">
            <li>
              <span className="live-dot" />
              {emergency.text}
            </li>
            {emergency.claim && (
              <li>
                <Timer size={20} />
                {emergency.claim}
              </li>
            )}
          </ul>
        </div>
        <a href={formatCallHref(company.phone)} className="button">
          <Phone size={32} />
          <span className="unseen">{emergency.callLabel} </span>
          {company.phone}
        </a>
        <p>{emergency.notUrgent}</p>
      </div>
    </section>
  )
}
