import { dayNames, weekdays } from '#leads/hours.ts'
import type { Content } from '../schema/content-schema.ts'
import { formatTel } from '../sections/call-href.ts'

/**
 * Describes the company to search engines (schema.org, JSON-LD). Omits ratings, because Google ignores those
 * that a business publishes about itself.
 */
export function formatBusiness(
  { company, head, hours, services }: Content,
  publicUrl: string | undefined,
): string {
  const business = {
    '@context': 'https://schema.org',
    '@type': 'RoofingContractor',
    name: company.name,
    description: head.description,
    telephone: formatTel(company.phone),
    foundingDate: String(company.since),
    areaServed: company.areaServed,
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
    openingHoursSpecification: listOpeningHours(hours),
    makesOffer: services.cards.map(({ title, text }) => ({
      '@type': 'Offer',
      itemOffered: { '@type': 'Service', name: title, description: text },
    })),
    ...(publicUrl !== undefined && { url: `${publicUrl}/`, image: `${publicUrl}/og.jpg` }),
  }
  // Content must not close the script element.
  return JSON.stringify(business).replaceAll('<', '\\u003c')
}

function listOpeningHours({ open, closedDates }: Content['hours']) {
  const describe = (dayOfWeek: string[], span: string) => {
    const [opens = '', closes = ''] = span.split('-').map((time) => time.padStart(5, '0'))
    // Google expects 23:59 for the end of a day.
    const end = closes === '24:00' ? '23:59' : closes
    return { '@type': 'OpeningHoursSpecification', dayOfWeek, opens, closes: end }
  }
  if (open === 'always') return describe(Object.values(dayNames), '00:00-24:00')
  const daysBySpan = new Map<string, string[]>()
  for (const day of weekdays)
    for (const span of open[day] ?? [])
      daysBySpan.set(span, [...(daysBySpan.get(span) ?? []), dayNames[day]])
  const weekly = [...daysBySpan].map(([span, days]) => describe(days, span))
  // Skip yearly holidays, because schema.org requires dates with a year.
  const dates = closedDates.filter((date) => /^\d{4}-/.test(date))
  const closed = dates.map((date) => ({
    '@type': 'OpeningHoursSpecification',
    opens: '00:00',
    closes: '00:00',
    validFrom: date,
    validThrough: date,
  }))
  return [...weekly, ...closed]
}
