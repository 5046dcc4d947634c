import { services } from '../content.ts'
import { ClipboardCheck, Hammer, House } from './icons.tsx'

const icons = { roof: House, hammer: Hammer, inspect: ClipboardCheck }

export function Services() {
  return (
    <section
      aria-labelledby="services"
      className="section later bg-cream [--height:59rem] lg:[--height:23rem]"
    >
      <div className="wide">
        <h2 id="services" className="text-center">
          {services.heading}
        </h2>
        <ul className="mt-12 grid gap-6 lg:grid-cols-3">
          {services.cards.map(({ icon, title, text }) => {
            const Icon = icons[icon]
            return (
              <li key={title} className="rounded-xl border border-sand bg-white p-8">
                <span className="icon-tile">
                  <Icon size={24} />
                </span>
                <h3 className="mt-6">{title}</h3>
                <p className="mt-2 text-slate">{text}</p>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
