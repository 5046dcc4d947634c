import { company, emergency } from '../content.ts'
import { CallLink } from './call-link.tsx'
import { Phone, Timer } from './icons.tsx'

export function EmergencyBand() {
  return (
    <section
      aria-labelledby="emergency"
      className="later relative bg-ink py-16 text-cream [--height:15rem] lg:py-20 lg:[--height:6rem]"
    >
      <div className="wide flex flex-col items-center gap-8 text-center lg:flex-row lg:justify-between lg:text-left">
        <div>
          <h2 id="emergency">{emergency.heading}</h2>
          <p className="mt-4 flex flex-wrap items-center justify-center gap-x-2.5 gap-y-1 text-lg text-cream/85 lg:justify-start">
            <Timer size={22} />
            <span>{emergency.text}</span> <span>{emergency.claim}</span>
          </p>
        </div>
        <CallLink className="button gap-3 px-7 py-4 font-display text-2xl font-bold tabular-nums sm:text-3xl lg:shrink-0">
          <Phone size={28} />
          <span className="sr-only">{emergency.callLabel} </span>
          {company.phone}
        </CallLink>
      </div>
    </section>
  )
}
