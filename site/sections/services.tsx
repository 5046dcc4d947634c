import { services } from '../content.ts'
import hammer from '../pictures/services/hammer.svg?raw'
import inspect from '../pictures/services/inspect.svg?raw'
import roof from '../pictures/services/roof.svg?raw'

const drawings = { roof, hammer, inspect }

export function Services() {
  return (
    <section aria-labelledby="services" className="services section later">
      <div className="page-width">
        <h2 id="services">{services.heading}</h2>
        <ul>
          {services.cards.map(({ icon, title, text }) => (
            <li key={title} className="card">
              <span
                // biome-ignore lint/security/noDangerouslySetInnerHtml: our own files, inlined to take the brand's colors
                dangerouslySetInnerHTML={{ __html: drawings[icon].trim() }}
              />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
