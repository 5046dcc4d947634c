import { about } from '../content.ts'
import { BadgeCheck, House, ShieldCheck } from './icons.tsx'

const icons = { home: House, shield: ShieldCheck, check: BadgeCheck }

export function About() {
  return (
    <section
      aria-labelledby="about"
      className="section later gable-below bg-cream [--height:55rem] lg:[--height:30rem]"
    >
      <div className="wide grid items-center gap-12 lg:grid-cols-2 lg:gap-20">
        <div className="relative">
          <picture>
            <source
              type="image/avif"
              srcSet="/site/pictures/about-480.avif 480w, /site/pictures/about-800.avif 800w, /site/pictures/about-1200.avif 1200w"
              sizes="(min-width: 1024px) 560px, (min-width: 768px) 100vw, 50vw"
            />
            <img
              src="/site/pictures/about-800.webp"
              alt={about.pictureAlt}
              width="1200"
              height="894"
              loading="lazy"
              className="aspect-[4/3] w-full rounded-xl object-cover"
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
          <p className="mt-5 text-lg text-slate">{about.text}</p>
          <ul className="mt-9 grid gap-7">
            {about.points.map(({ icon, title, text }) => {
              const Icon = icons[icon]
              return (
                <li key={title} className="grid grid-cols-[auto_1fr] gap-x-4">
                  <span className="icon-tile">
                    <Icon size={24} />
                  </span>
                  <div>
                    <h3>{title}</h3>
                    <p className="mt-1 text-slate">{text}</p>
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
