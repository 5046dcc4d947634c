import { findFile, type PageProps } from '../render/build.ts'
import { BadgeCheck, House, ShieldCheck } from './icons.tsx'

const icons = { home: House, shield: ShieldCheck, check: BadgeCheck }

export function About({ content: { about, company }, build }: PageProps) {
  const find = (file: string) => findFile(build, `pictures/about-${file}`)
  return (
    <section aria-labelledby="about" className="about section deferred">
      <div className="page-width">
        <div className="about-picture">
          <picture>
            <source
              type="image/avif"
              srcSet={[480, 800, 1200].map((px) => `${find(`${px}.avif`)} ${px}w`).join(', ')}
              sizes="(min-width: 1024px) 640px, (min-width: 768px) 100vw, 50vw"
            />
            <img
              src={find('800.webp')}
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
