import { services } from '../content.ts'
import hammer from '../pictures/services/hammer.svg?raw'
import inspect from '../pictures/services/inspect.svg?raw'
import roof from '../pictures/services/roof.svg?raw'
import { Drawing } from './drawing.tsx'

const drawings = { roof, hammer, inspect }

export function Services() {
  return (
    <section aria-labelledby="services" className="services section later">
      <div className="page-width">
        <h2 id="services">{services.heading}</h2>
        <ul>
          {services.cards.map(({ icon, title, text }) => (
            <li key={title} className="card">
              <Drawing svg={drawings[icon]} />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
