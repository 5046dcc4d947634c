import { company, head, services, telNumber } from '../content.ts'

/**
 * The company in the words of schema.org, for search engines. No ratings: Google ignores those that a
 * business gives itself.
 */
export function formatBusiness(publicUrl: string | undefined): string {
  const business = {
    '@context': 'https://schema.org',
    '@type': 'RoofingContractor',
    name: company.name,
    description: head.description,
    telephone: telNumber,
    foundingDate: String(company.since),
    areaServed: company.areaServed,
    openingHoursSpecification: {
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
      // How Google wants "always" to be said.
      opens: '00:00',
      closes: '23:59',
    },
    makesOffer: services.cards.map(({ title, text }) => ({
      '@type': 'Offer',
      itemOffered: { '@type': 'Service', name: title, description: text },
    })),
    ...(publicUrl !== undefined && { url: `${publicUrl}/`, image: `${publicUrl}/og.jpg` }),
  }
  // No word of the content may end the element.
  return JSON.stringify(business).replaceAll('<', '\\u003c')
}
