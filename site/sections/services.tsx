import { services } from '../content.ts'
import { ClipboardCheck, Hammer, House } from './icons.tsx'

const icons = { roof: House, hammer: Hammer, inspect: ClipboardCheck }

export function Services() {
  return (
    <section aria-labelledby="services" className="services section later">
      <div className="page-width">
        <h2 id="services">{services.heading}</h2>
        <ul>
          {services.cards.map(({ icon, title, text }) => {
            const Icon = icons[icon]
            return (
              <li key={title} className="card">
                <span className="icon-tile">
                  <Icon size={24} />
                </span>
                <h3>{title}</h3>
                <p>{text}</p>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
