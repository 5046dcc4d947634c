import { fill } from '#leads/fill.ts'
import { EstimateCard } from '../estimate-form/estimate-card.tsx'
import { type Build, findFile, type PageProps } from '../render/build.ts'
import { formatArea } from './area.ts'
import { FiveStars, ShieldCheck } from './icons.tsx'
import { measureName } from './logo.tsx'

/** The page's head preloads the same files. */
export function listHeroPictures(build: Build) {
  const find = (size: string) => findFile(build, `pictures/hero-${size}.avif`)
  return {
    // One size for all phones and tablets, because it is small enough for one round trip.
    tall: { media: '(width < 64rem)', srcSet: find('portrait-1080') },
    wide: {
      media: '(width >= 64rem)',
      srcSet: [1024, 1440, 1920].map((px) => `${find(`${px}`)} ${px}w`).join(', '),
      sizes: '100vw',
    },
  }
}

export function Hero({ content, build }: PageProps) {
  const { company, hero } = content
  const pictures = listHeroPictures(build)
  return (
    <section aria-labelledby="headline" className="hero">
      <div className="hero-grid page-width">
        <div className="hero-top">
          <div className="hero-words">
            <picture>
              <source type="image/avif" {...pictures.tall} />
              <source type="image/avif" {...pictures.wide} />
              <img
                src={findFile(build, 'pictures/hero-1024.webp')}
                alt=""
                width="1920"
                height="1080"
                fetchPriority="high"
                className="hero-picture"
              />
            </picture>
            {/* CSS shows this on screens whose header has space only for the logo. */}
            <p className="hero-company" data-name={measureName(company.name)}>
              {company.name}
            </p>
            <Proof {...content} />
            <h1 id="headline">{hero.headline}</h1>
            <p>
              {hero.lead} {formatArea(company)}.
            </p>
          </div>
        </div>
        <EstimateCard content={content} build={build} />
        <dl className="hero-statistics">
          {hero.statistics.map(({ value, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

// With fewer reviews, don't show a count, because it would not convince visitors.
const minReviews = 5

/** Shows why to trust the company: the number of reviews and the owner's own text. */
function Proof({ hero, testimonials }: PageProps['content']) {
  const count = testimonials.reviews.length
  const hasReviews = count >= minReviews
  if (!hasReviews && !hero.trust) return null
  return (
    <p className="proof">
      {hasReviews && (
        <a href="#testimonials">
          <FiveStars />
          {fill(hero.reviews, { count })}
        </a>
      )}
      {hero.trust && (
        <span>
          <ShieldCheck size={18} />
          {hero.trust}
        </span>
      )}
    </p>
  )
}
