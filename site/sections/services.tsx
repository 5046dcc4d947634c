import type { Build, PageProps } from '../render/build.ts'
import { Hammer, House, SearchCheck } from './icons.tsx'

const icons = { roof: House, hammer: Hammer, inspect: SearchCheck }

export function Services({ content: { services }, build }: PageProps) {
  return (
    <section aria-labelledby="services" className="services section deferred">
      <div className="page-width">
        <h2 id="services">{services.heading}</h2>
        <ul>
          {services.cards.map(({ icon, picture, title, text }) => {
            const Icon = icons[icon]
            return (
              <li key={title} className="card">
                <Picture files={build.files} name={`pictures/service-${picture}`} />
                <span className="icon-tile">
                  <Icon />
                </span>
                <h3>
                  <a href="#estimate">{title}</a>
                </h3>
                <p>{text}</p>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}

/** Browsers without AVIF get no picture, because the card looks complete without one. */
function Picture({ files, name }: { files: Build['files']; name: string }) {
  const [small, large] = [files[`${name}-480.avif`], files[`${name}-800.avif`]]
  if (!small) return null
  return (
    <div className="service-picture near">
      <img
        src={small}
        srcSet={`${small} 480w, ${large} 800w`}
        sizes="(min-width: 1024px) 432px, 50vw"
        alt=""
        width="480"
        height="320"
        loading="lazy"
      />
    </div>
  )
}
