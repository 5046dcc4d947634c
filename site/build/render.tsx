import { renderToString } from 'react-dom/server'
import { palette } from '#leads/brand.json'
import { weekdays } from '#leads/hours.ts'
import { brand } from '../brand/brand.ts'
import { company, head, hours, services } from '../content.ts'
import { LandingPage } from '../landing-page.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { telNumber } from '../sections/call-href.ts'
import { heroPictures } from '../sections/hero.tsx'

/** Renders a page to HTML. This runs in builds and in the dev server, never in the browser. */
export function renderPage(page: 'landing' | 'not-found', publicUrl: string | undefined) {
  const [head, body] =
    page === 'landing'
      ? [<LandingHead key="head" publicUrl={publicUrl} />, <LandingPage key="body" />]
      : [<NotFoundHead key="head" />, <NotFoundPage key="body" />]
  return { head: renderToString(head), body: renderToString(body) }
}

/** Omits tags that need a public address if there is none. */
function LandingHead({ publicUrl }: { publicUrl: string | undefined }) {
  const preload = {
    rel: 'preload',
    as: 'image',
    type: 'image/avif',
    fetchPriority: 'high',
  } as const
  const { phone, wide } = heroPictures
  return (
    <>
      <title>{head.title}</title>
      <meta name="description" content={head.description} />
      <meta name="theme-color" content={palette.ink} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={company.name} />
      <meta property="og:title" content={head.title} />
      <meta property="og:description" content={head.description} />
      {publicUrl !== undefined && (
        <>
          <link rel="canonical" href={`${publicUrl}/`} />
          <meta property="og:url" content={`${publicUrl}/`} />
          <meta property="og:image" content={`${publicUrl}/og.jpg`} />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta property="og:image:alt" content={head.pictureAlt} />
          <meta name="twitter:card" content="summary_large_image" />
          <meta name="twitter:image" content={`${publicUrl}/og.jpg`} />
        </>
      )}
      <link {...preload} media={phone.media} href={phone.srcSet} />
      <link {...preload} media={wide.media} imageSrcSet={wide.srcSet} imageSizes={wide.sizes} />
      <link
        rel="preload"
        href={brand.headingFont ? `/brand/${brand.headingFont.file}` : '/fonts/archivo.woff2'}
        as="font"
        type="font/woff2"
        crossOrigin=""
        // The fallback fonts have the same widths, so the hero picture may load first.
        fetchPriority="low"
      />
      <script
        type="application/ld+json"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotes of the JSON
        dangerouslySetInnerHTML={{ __html: formatBusiness(publicUrl) }}
      />
    </>
  )
}

const NotFoundHead = () => (
  <>
    <title>{head.notFoundTitle}</title>
    <meta name="robots" content="noindex" />
  </>
)

const dayNames = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
} as const

function listOpeningHours() {
  const { open } = hours
  const describe = (dayOfWeek: string | string[], span: string) => {
    const [opens = '', closes = ''] = span.split('-').map((time) => time.padStart(5, '0'))
    // Google writes the end of a day as 23:59.
    const end = closes === '24:00' ? '23:59' : closes
    return { '@type': 'OpeningHoursSpecification', dayOfWeek, opens, closes: end }
  }
  if (open === 'always') return describe(Object.values(dayNames), '00:00-24:00')
  const weekly = weekdays.flatMap((day) =>
    (open[day] ?? []).map((span) => describe(dayNames[day], span)),
  )
  const closed = hours.closedDates.map((date) => ({
    '@type': 'OpeningHoursSpecification',
    opens: '00:00',
    closes: '00:00',
    validFrom: date,
    validThrough: date,
  }))
  return [...weekly, ...closed]
}

/**
 * Describes the company to search engines (schema.org). Omits ratings, because Google ignores those that a
 * business publishes about itself.
 */
function formatBusiness(publicUrl: string | undefined): string {
  const business = {
    '@context': 'https://schema.org',
    '@type': 'RoofingContractor',
    name: company.name,
    description: head.description,
    telephone: telNumber,
    foundingDate: String(company.since),
    areaServed: company.areaServed,
    // JSON omits undefined entries.
    email: company.email,
    address: company.address && {
      '@type': 'PostalAddress',
      streetAddress: company.address.street,
      addressLocality: company.address.city,
      addressRegion: company.address.state,
      postalCode: company.address.zip,
      addressCountry: company.region,
    },
    identifier: company.license && {
      '@type': 'PropertyValue',
      name: 'License',
      value: company.license,
    },
    sameAs: company.social?.map(({ url }) => url),
    openingHoursSpecification: listOpeningHours(),
    makesOffer: services.cards.map(({ title, text }) => ({
      '@type': 'Offer',
      itemOffered: { '@type': 'Service', name: title, description: text },
    })),
    ...(publicUrl !== undefined && { url: `${publicUrl}/`, image: `${publicUrl}/og.jpg` }),
  }
  // Prevent content from closing the script element.
  return JSON.stringify(business).replaceAll('<', '\\u003c')
}
