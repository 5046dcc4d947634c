/*
 * The text on the page. Entries that start with // are optional. To use one, remove the // and fill it in.
 * `sample: true` marks made-up content. Replace the content, or make sure it is accurate, and then delete the mark.
 * In any text below company, the page replaces {company} with the company's name, {minutes} with
 * promiseMinutes, and {since} with the year. `npm run build` reports mistakes. The choices for "Service
 * needed" are in leads/fields.ts, and the messages about invalid fields are in leads/lead.ts. Entries that the
 * owner has published on the desk replace the ones here.
 */
import type { Content } from './schema/content-schema.ts'

export const company: Content['company'] = {
  sample: true,
  name: 'Ridgeline Roofing',
  phone: '(555) 555-0124',
  since: 1998,
  region: 'US',
  areaLabel: 'Serving',
  /** The towns, counties, or states where you work, for visitors and search engines. */
  areaServed: ['Minneapolis', 'Saint Paul'],
  /** Optional. Shown with the shield icon under about, in the footer, and to search engines. */
  license: 'MN license BC000000',
  // Shown in the footer and to search engines:
  // address: { street: '12 Main St', city: 'Minneapolis', state: 'MN', zip: '55401' },
  // email: 'office@example.com',
  // social: [{ name: 'Facebook', url: 'https://www.facebook.com/your-page' }],
}

/**
 * The hours when you call leads back. After a change from or to 'always', run: npm run brand
 * Instead of 'always', you can list the hours for each day. On days that you leave out, you are closed:
 *   open: { Mon: ['7:00-18:00'], Tue: ['7:00-18:00'], Sat: ['8:00-12:00', '13:00-16:00'] },
 */
export const hours: Content['hours'] = {
  timeZone: 'America/Chicago',
  open: 'always',
  /** Holidays: '2026-12-25', or '12-25' for every year. */
  closedDates: [],
  /** When you call back about emergencies: 'always', or only 'when open'. */
  emergencies: 'always',
  /** While you are open, you promise a call within this many minutes. After a change, run: npm run brand */
  promiseMinutes: 10,
}

export const head: Content['head'] = {
  title: '{company} | Free roofing estimates. We call back within {minutes} minutes.',
  description:
    'Residential roofing since {since}. Licensed and insured crews, 24/7 emergency service, and free estimates. We call you back within {minutes} minutes.',
  notFoundTitle: 'Page not found | {company}',
  pictureAlt: 'A house with a shingled roof and lit windows at dusk',
  /** Shown on the picture for shared links, below the company's name. After a change, run: npm run brand */
  shareLines: ['Free roofing estimate.', 'A callback within {minutes} minutes.'],
  /** Replaces the text above if you are not always open, so it must be true at any hour. */
  limitedHours: {
    title: '{company} | Free roofing estimates and quick callbacks',
    description:
      "Residential roofing since {since}. Licensed and insured crews, emergency service, and free estimates. While we're open, we call you back within {minutes} minutes.",
    shareLines: ['Free roofing estimate.', 'A quick callback.'],
  },
}

export const header: Content['header'] = {
  callLabel: '24/7 Service',
  /** Replaces callLabel if you are not always open. {time} becomes a time such as "6 PM". */
  limitedHours: {
    anytime: 'Call us',
    open: 'Open until {time}',
    closed: 'Opens {time}',
    /** Shown while you are closed, if you always call back about emergencies. */
    emergency: 'Emergency? Call now',
  },
  estimate: 'Free Estimate',
  estimateShort: 'Estimate',
  skipLink: 'Skip to the estimate form',
}

export const hero: Content['hero'] = {
  sample: true,
  headline: 'A solid roof from people who show up.',
  /** Shown above the headline, with five stars, if you have five or more reviews. */
  reviews: '{count} five-star reviews',
  /** Optional. Shown beside the stars, or below them on phones and tablets. */
  trust: 'Licensed and insured',
  /** Followed by the area where you work: "Serving Minneapolis and Saint Paul." */
  lead: 'A straight answer and a free estimate.',
  statistics: [
    { value: '5,200+', label: 'Roofs Completed' },
    { value: '4,800+', label: 'Happy Customers' },
    { value: '25+', label: 'Years Experience' },
  ],
}

export const form: Content['form'] = {
  heading: "Free estimate. We'll call within {minutes} minutes.",
  labels: {
    name: 'Full name',
    email: 'Email',
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
  suggestions: {
    label: 'Address suggestions',
    none: 'No suggestions',
    one: '1 suggestion',
    several: '{count} suggestions',
    chosen: 'Selected: {address}',
    source: 'Google Maps',
  },
  submit: 'Request Free Estimate →',
  submitting: 'Submitting...',
  /** Shown below the button. */
  noObligation: "No obligation. We'll only contact you about your roof.",
  toasts: {
    incomplete: 'Please fill in all required fields',
    failed: 'Failed to submit form. Please try again.',
    received: "Estimate request received! We'll contact you within {minutes} minutes.",
  },
  notes: {
    failed: 'Your information is still here. Please try again, or call us:',
    failedPlain: "Use your browser's Back button to check your information, or call us:",
    incompletePlain: "Use your browser's Back button to finish the form.",
    /** {field} becomes a noun such as "email address". */
    refusedPlain:
      "Please check the {field} you entered. Use your browser's Back button to correct it, or call us:",
    slow: "This is taking longer than usual. We're still trying. You can also call us:",
    offline:
      'You seem to be offline. Your information is still here. Please try again, or call us:',
    waiting:
      "You're offline. Keep this page open, and we'll send your request when you're back online. You can also call us:",
  },
  /** Shown instead of the heading after a success. */
  received: {
    heading: 'We got your request',
    /** {time} becomes a time such as "12:10 PM". */
    callBy: "We'll call by {time}.",
    /** For visitors without JavaScript. The second message is for requests that come in while you are closed. */
    callSoon: "We'll call within {minutes} minutes.",
    callAfterOpening: "We'll call within {minutes} minutes of opening.",
    /** Followed by the phone number. */
    next: 'Keep your phone handy. Questions? Call',
  },
  /** Shown while you are closed. {time} becomes a time such as "8 AM tomorrow". */
  closed: {
    heading: "Free estimate. We'll call by {time}.",
    toast: "Estimate request received! We'll call you by {time}.",
    /** Visitors without JavaScript see this at any hour, so it must always be true. */
    headingAnytime: 'Free estimate. Quick callback.',
    /** Shown below "Service needed", if you always call back about emergencies. Followed by the phone number. */
    emergency: 'Emergency? Call',
  },
  emailHint: 'Did you mean',
  phoneRule: 'Include the area code',
  trapLabel: 'Leave this field empty',
  /** The version is stored with every lead. When you change the text, change the version. */
  consent: {
    version: '2026-11-18',
    text: "By submitting, you agree that {company} may call or text you about this request. We won't use your number for anything else.",
    // privacyPolicy: { label: 'Privacy policy', url: 'https://www.example.com/privacy' },
  },
}

export const about: Content['about'] = {
  sample: true,
  heading: 'The crew your neighbors call first',
  text: 'We started with one truck and one ladder. The crew has grown, but the owner still checks every finished roof.',
  points: [
    {
      sample: true,
      icon: 'home',
      title: 'Trusted since {since}',
      text: 'Hail, ice dams, heavy snow: our local crews know what this weather does to a roof.',
    },
    {
      sample: true,
      icon: 'shield',
      title: 'Licensed and insured',
      text: 'Our insurance covers your home and everyone who works on it.',
    },
    {
      sample: true,
      icon: 'check',
      title: 'Quality guarantee',
      text: "If our work leaks within 10 years, we'll fix it for free. You get that in writing.",
    },
  ],
  pictureAlt:
    'New shingles and metal flashing around a brick chimney, with a hammer and a chalk line',
  /** If you have no award, delete this line to remove the badge. */
  award: { sample: true, title: 'Roofer of the Year', by: 'Trade Award', year: '2025' },
}

export const emergency: Content['emergency'] = {
  sample: true,
  heading: 'Roof emergency? Call now, day or night.',
  text: 'A real person answers this number 24/7.',
  claim: 'Average response time: 1 minute',
  notUrgent: "Not urgent? Fill out the form, and we'll call you within {minutes} minutes.",
  /** Replaces the text above if you are not always open, so it must be true at any hour. */
  limitedHours: {
    notUrgent:
      "Not urgent? Fill out the form. While we're open, we'll call you within {minutes} minutes.",
  },
  callLabel: 'Call',
}

/** Pictures are optional. The picture 'repairs' is site/brand/service-repairs (.jpg, .png, or .webp). */
export const services: Content['services'] = {
  sample: true,
  heading: 'Our Services',
  cards: [
    {
      icon: 'roof',
      picture: 'roofing',
      title: 'Residential Roofing',
      text: 'New roofs and full replacements in asphalt, metal, or cedar. One crew, one price in writing, and a clean yard when we leave.',
    },
    {
      icon: 'hammer',
      picture: 'repairs',
      title: 'Roof Repairs',
      text: "Leaks, missing shingles, hail and wind damage, worn flashing. We fix what's broken and tell you what can wait.",
    },
    {
      icon: 'inspect',
      picture: 'inspections',
      title: 'Roof Inspections',
      text: 'Photos of every slope, vent, and gutter, and a report for your insurance claim. After a storm, we meet the adjuster at your house.',
    },
  ],
}

export const testimonials: Content['testimonials'] = {
  heading: 'What Our Customers Say',
  pauseLabel: 'Pause the scrolling reviews',
  playLabel: 'Resume the scrolling reviews',
  rowLabel: 'Customer reviews, row',
  ratingLabel: 'Rated 5 out of 5',
  // allReviews: { label: 'Read all our reviews on Google', url: 'https://www.google.com/maps' },
  /**
   * Five-star reviews. If you delete all of them, the page has no review section. Job, town, month, source, and
   * picture are optional. Maria Delgado's picture is site/pictures/avatars/maria-delgado.svg.
   * Publishing fake reviews is against US law (16 CFR 465).
   */
  reviews: [
    {
      name: 'Maria Delgado',
      text: 'They called back before I finished my coffee. Roof done in two days, and not a nail left in the grass.',
      job: 'New roof',
      town: 'Minneapolis',
      // month: 'March 2026',
      // source: 'Google',
      sample: true,
    },
    {
      name: 'Tom Becker',
      text: 'Three companies gave me three stories. These folks gave me photos and a price, and stuck to it.',
      job: 'Roof repair',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Aisha Rahman',
      text: 'Water was coming through the nursery ceiling at two in the morning. Someone was on the roof with a tarp by four.',
      job: 'Emergency repair',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Greg Halvorsen',
      text: "I spent thirty years in construction. The flashing work around my chimney is as good as any I've seen.",
      job: 'New flashing',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Linda Cho',
      text: "They told me I didn't need a new roof yet. Who does that? They'll get my business when I do.",
      job: 'Roof inspection',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Marcus Bell',
      text: 'On time every morning, polite to my mother, and they covered her roses before they started.',
      job: 'New roof',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Ruth Abernathy',
      text: "At 78, I don't climb ladders. They walked me through every picture of my roof at the kitchen table.",
      job: 'Roof inspection',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Daniel Okafor',
      text: 'Hail took out half the street. Ours was the first house finished, and the inspector passed it in minutes.',
      job: 'Hail damage',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Priya Nair',
      text: 'Clear estimate, no pressure, and the final bill matched it to the dollar.',
      job: 'New roof',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Bill Kowalski',
      text: "Leak over the garage that two others couldn't find. Found it in an hour, fixed it the same day.",
      job: 'Leak repair',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Sofia Marino',
      text: 'We ran an office from home during the whole job. They even planned the loud hours around our calls.',
      job: 'New roof',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Jerome Watts',
      text: 'The crew lead gave me his own number. I never needed it, but I liked having it.',
      job: 'Roof repair',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Hannah Lindqvist',
      text: 'New roof, new gutters, and they rehung the bird feeder exactly where it was. My kids noticed.',
      job: 'New roof',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Carlos Vega',
      text: 'Bought the house on the strength of their inspection. Every note in it turned out to be right.',
      job: 'Roof inspection',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Denise Porter',
      text: "The insurer wanted paperwork I'd never heard of. They sent it over before I had to ask twice.",
      job: 'Hail damage',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Harpreet Singh',
      text: 'Metal roof on an old farmhouse, tricky valleys everywhere. It looks like it was always meant to be there.',
      job: 'Metal roof',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Patrick Doyle',
      text: 'They came back a year later to check their own work. Nobody asked them to.',
      job: 'New roof',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Grace Mbeki',
      text: 'I filled out the form on my phone in the parking lot. They called before I reached the store.',
      job: 'Leak repair',
      town: 'Saint Paul',
      sample: true,
    },
    {
      name: 'Leo Santos',
      text: "Fair price, clean job site, straight answers. I've sent them four neighbors since.",
      job: 'Roof repair',
      town: 'Minneapolis',
      sample: true,
    },
    {
      name: 'Nora Fitzgerald',
      text: 'First storm since the new roof, and for once I slept right through it.',
      job: 'New roof',
      town: 'Saint Paul',
      sample: true,
    },
  ],
}

export const footer: Content['footer'] = {
  tagline: 'Residential roofing, done once and done right.',
  quickLinks: 'Quick Links',
  estimate: 'Get Free Estimate',
  callHeading: 'Call 24/7',
  /** If you are not always open, the page shows your hours instead. */
  alwaysOpen: 'Open 24 hours, every day',
  /** The labels of the links to the sections. */
  links: { about: 'About us', services: 'Our services', testimonials: 'Customer reviews' },
  rights: 'All rights reserved.',
}

export const notFound: Content['notFound'] = {
  heading: 'Oops! Page not found',
  text: 'The page may have moved. If your roof is leaking, call us now:',
  home: 'Return to Home',
}
