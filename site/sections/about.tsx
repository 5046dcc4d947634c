import { about, company } from '../content.ts'
import { BadgeCheck, House, ShieldCheck } from './icons.tsx'

const icons = { home: House, shield: ShieldCheck, check: BadgeCheck }

export function About() {
  return (
    <section aria-labelledby="about" className="about section later">
      <div className="page-width">
        <div className="about-picture">
          <picture>
            <source
              type="image/avif"
              srcSet="/pictures/about-480.avif 480w, /pictures/about-800.avif 800w, /pictures/about-1200.avif 1200w"
              sizes="(min-width: 1024px) 560px, (min-width: 768px) 100vw, 50vw"
            />
            <img
              src="/pictures/about-800.webp"
              alt={about.pictureAlt}
              width="1200"
              height="894"
              loading="lazy"
            />
          </picture>
          {about.award && (
            <p className="badge">
              <span>{about.award.by}</span>
              <strong>{about.award.title}</strong>
              <span>{about.award.year}</span>
            </p>
          )}
        </div>
        <div>
          <h2 id="about">{about.heading}</h2>
          <p className="large">{about.text}</p>
          <ul>
            {about.points.map(({ icon, title, text }) => {
              const Icon = icons[icon]
              return (
                <li key={title}>
                  <span className="icon-tile">
                    <Icon size={24} />
                  </span>
                  <div>
                    <h3>{title}</h3>
                    <p>
                      {text}
                      {icon === 'shield' && company.license && ` ${company.license}.`}
                    </p>
                  </div>
                </li>
              )
            })}
          </ul>
        </div>
      </div>
    </section>
  )
}
