/*
 * Everything the visitor reads, in one place. Change the words here; a mistake does not compile.
 * `sample: true` marks what was invented for this template: replace it with your own and delete the mark.
 * (The service choices of the form live in lead.ts, because Airtable and the alerts use them too.)
 */

type UsPhone = `(${number}) ${number}-${number}`

export const company = {
  sample: true,
  name: 'Ridgeline Roofing',
  phone: '(555) 555-0124' satisfies UsPhone as UsPhone,
  since: 1998,
  region: 'US',
} as const

/** What a phone dials for the number that people read. */
export const telHref = (phone: UsPhone) => `tel:+1${phone.replace(/\D/g, '')}`

export const callHref = telHref(company.phone)

export const head = {
  title: `${company.name} | Free roofing estimates, a call back within 10 minutes`,
  description:
    'Residential roofing you can trust since 1998. Licensed and insured crews, 24/7 emergency service, and a free estimate with a call back within 10 minutes.',
  notFoundTitle: `Page not found | ${company.name}`,
  pictureAlt: 'A shingled house at golden hour',
} as const

export const header = {
  callLabel: '24/7 Service',
  estimate: 'Free Estimate',
  estimateShort: 'Estimate',
  skipLink: 'Skip to the estimate form',
} as const

export const hero = {
  headline: 'A sound roof, from people who turn up.',
  lead: 'Honest estimates, licensed crews and a roof that holds. Tell us where it is and we will call you back.',
  statistics: [
    { value: '5,200+', label: 'Roofs Completed' },
    { value: '4,800+', label: 'Happy Customers' },
    { value: '25+', label: 'Years Experience' },
  ],
} as const

export const form = {
  heading: 'Free estimate. We call within 10 minutes.',
  labels: {
    name: 'Full name',
    email: 'E-mail',
    phone: 'Phone',
    address: 'Property address',
    serviceType: 'Service needed',
  },
  optional: '(optional)',
  placeholders: {
    name: 'John Smith',
    email: 'john@example.com',
    phone: '(555) 123-4567',
    address: '123 Main St, City, State, ZIP',
    serviceType: 'Choose a service',
  },
  submit: 'Request Free Estimate →',
  submitting: 'Submitting...',
  toasts: {
    incomplete: 'Please fill in all required fields',
    failed: 'Failed to submit form. Please try again.',
    received: "Estimate request received! We'll contact you within 10 minutes.",
  },
  notes: {
    failed: 'Nothing you typed is lost. Try again, or call us now:',
    received: 'Thank you. Please keep your phone close by.',
  },
} as const

export const about = {
  heading: 'The crew your neighbors call first',
  text: 'We started with one truck and one ladder. Today our crews roof whole streets, and the owner still answers for every one of them.',
  points: [
    {
      icon: 'home',
      title: `Trusted since ${company.since}`,
      text: 'More than 25 years on the roofs of this region, through every kind of weather.',
    },
    {
      icon: 'shield',
      title: 'Licensed and insured',
      text: 'Fully licensed, and insured for your home and for everyone who works on it.',
    },
    {
      icon: 'check',
      title: 'Quality guarantee',
      text: 'If something is not right, we come back and put it right. In writing.',
    },
  ],
  pictureAlt: 'Close-up of new architectural shingles running up to a ridge and a brick chimney',
  award: { sample: true, title: 'Roofer of the Year', by: 'Trade Award', year: '2025' },
} as const

export const emergency = {
  heading: 'Roof emergency? Call now, day or night.',
  text: 'A person answers 24/7.',
  claim: 'Average response time: 1 minute',
  callLabel: 'Call',
} as const

export const services = {
  heading: 'Our Services',
  cards: [
    {
      icon: 'roof',
      title: 'Residential Roofing',
      text: 'New roofs and full replacements in asphalt, metal and cedar. One crew, one clear price, and a clean yard when we leave.',
    },
    {
      icon: 'hammer',
      title: 'Roof Repairs',
      text: 'Leaks, missing shingles, storm damage, tired flashing. We mend what is broken and tell you honestly what can wait.',
    },
    {
      icon: 'inspect',
      title: 'Roof Inspections',
      text: 'A careful look at every slope, vent and gutter, with photos and a plain report you can show to your insurer.',
    },
  ],
} as const

export type Testimonial = {
  id: number
  name: string
  image: `/site/pictures/avatars/${number}.svg`
  rating: 5
  text: string
  /** Invented for this template. Publishing invented testimonials is against US law (16 CFR 465). */
  sample?: true
}

type T = Testimonial
type SevenCards = readonly [T, T, T, T, T, T, T]
type SixCards = readonly [T, T, T, T, T, T]

// @__NO_SIDE_EFFECTS__ -- so that the form's code does not carry the testimonials
const sample = (id: number, name: string, picture: `${number}`, text: string): Testimonial => ({
  id,
  name,
  image: `/site/pictures/avatars/${picture}.svg`,
  rating: 5,
  text,
  sample: true,
})

const rows: readonly [SevenCards, SevenCards, SixCards] = [
  [
    sample(
      1,
      'Maria Delgado',
      '17',
      'They called back before I had put the kettle on. Roof done in two days, and not a nail left in the grass.',
    ),
    sample(
      2,
      'Tom Becker',
      '02',
      'Three companies gave me three stories. These folks gave me photos, a number, and stuck to it.',
    ),
    sample(
      3,
      'Aisha Rahman',
      '07',
      'Water was coming through the nursery ceiling at 2 a.m. Someone was on the roof with a tarp by four.',
    ),
    sample(
      4,
      'Greg Halvorsen',
      '16',
      'I spent thirty years in construction. The flashing work around my chimney is as good as I have seen.',
    ),
    sample(
      5,
      'Linda Cho',
      '13',
      'They told me I did not need a new roof yet. Who does that? They have my business when I do.',
    ),
    sample(
      6,
      'Marcus Bell',
      '06',
      'On time every morning, polite to my mother, and they covered her roses before they started.',
    ),
    sample(
      7,
      'Ruth Abernathy',
      '05',
      'At 78 I do not climb ladders. They walked me through every picture of my roof at the kitchen table.',
    ),
  ],
  [
    sample(
      8,
      'Daniel Okafor',
      '14',
      'Hail took out half the street. Ours was the first house finished and the inspector passed it in minutes.',
    ),
    sample(
      9,
      'Priya Nair',
      '11',
      'Clear estimate, no pressure, and the final bill matched it to the dollar.',
    ),
    sample(
      10,
      'Bill Kowalski',
      '08',
      'Leak over the garage that two others could not find. Found it in an hour, fixed it the same day.',
    ),
    sample(
      11,
      'Sofia Marino',
      '01',
      'We ran an office from home during the whole job. They even planned the loud hours around our calls.',
    ),
    sample(
      12,
      'Jerome Watts',
      '20',
      'The crew lead gave me his own number. I never needed it, but I liked having it.',
    ),
    sample(
      13,
      'Hannah Lindqvist',
      '19',
      'New roof, new gutters, and they rehung the bird feeder exactly where it was. My kids noticed.',
    ),
    sample(
      14,
      'Carlos Vega',
      '04',
      'Bought the house on the strength of their inspection. Every note in it turned out to be right.',
    ),
  ],
  [
    sample(
      15,
      'Denise Porter',
      '15',
      'The insurer wanted paperwork I had never heard of. They sent it over before I asked twice.',
    ),
    sample(
      16,
      'Harpreet Singh',
      '12',
      'Metal roof on an old farmhouse, tricky valleys everywhere. It looks like it was always meant to be there.',
    ),
    sample(
      17,
      'Patrick Doyle',
      '10',
      'They came back a year later to check their own work. Nobody asked them to.',
    ),
    sample(
      18,
      'Grace Mbeki',
      '03',
      'I filled in the form on my phone in the car park. They rang before I reached the shop door.',
    ),
    sample(
      19,
      'Leo Santos',
      '18',
      'Fair price, tidy site, straight answers. I have sent them four neighbors since.',
    ),
    sample(
      20,
      'Nora Fitzgerald',
      '09',
      'First storm since the new roof and for once I slept right through it.',
    ),
  ],
]

export const testimonials = {
  heading: 'What Our Customers Say',
  pause: 'Pause',
  play: 'Play',
  pauseLabel: 'Pause the moving reviews',
  playLabel: 'Play the moving reviews',
  rowLabel: 'Customer reviews, row',
  ratingLabel: 'Rated 5 out of 5',
  rows,
}

export const footer = {
  tagline: 'Residential roofing, done once and done right.',
  quickLinks: 'Quick Links',
  estimate: 'Get Free Estimate',
  callHeading: 'Call 24/7',
  rights: 'All rights reserved.',
} as const

export const notFound = {
  heading: 'Oops! Page not found',
  text: 'One shingle is missing here. The rest of the roof is sound.',
  home: 'Return to Home',
} as const
