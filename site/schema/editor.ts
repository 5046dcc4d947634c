/*
 * Describes the entries that the owner can edit on the desk, in the order of the page. contentSchema has the rules for
 * them. All other entries can be changed only in site/content.ts.
 */
import { dayNames, type Weekday } from '#leads/hours.ts'
import { type SectionName, sectionNames } from './content-schema.ts'

type Kind =
  | 'line'
  | 'text'
  | 'phone'
  | 'email'
  | 'link'
  | 'number'
  | 'date'
  | 'choice'
  | 'hours'
  | 'group'
  | 'list'

export type EditorField = {
  /** The path of the entry. In a group or a list item, it is relative to that, and '' means the item itself. */
  path: string
  label: string
  kind: Kind
  hint?: string
  /** True if the owner can leave the entry out. */
  optional?: true
  /** True if the entry, or each item of the list, has its own sample mark. */
  isMarked?: true
  choices?: { value: string; label: string }[]
  /** The fields of a group or of one item of a list. */
  fields?: EditorField[]
  /** What one item of the list is called. */
  item?: string
  /** The value that "Add" appends to a list. */
  newItem?: unknown
}

export type EditorSection = {
  id: string
  title: string
  hint?: string
  /** The ID of the element that shows the section. Without it, the section is at the top of the page. */
  anchor?: string
  /** The path of the entry that marks this section's other fields as samples. */
  sample?: string
  fields: EditorField[]
}

const line = (path: string, label: string, more: Partial<EditorField> = {}): EditorField => ({
  path,
  label,
  kind: 'line',
  ...more,
})
const text = (path: string, label: string, hint?: string): EditorField =>
  line(path, label, { kind: 'text', ...(hint && { hint }) })

const link = (label: string): EditorField => line('url', label, { kind: 'link' })

const sections: Record<SectionName, Omit<EditorSection, 'id' | 'anchor'>> = {
  about: {
    title: 'About you',
    sample: 'about.sample',
    fields: [
      line('about.heading', 'Heading'),
      text('about.text', 'Text'),
      line('about.points', 'Highlights', {
        kind: 'list',
        isMarked: true,
        item: 'highlight',
        newItem: { icon: 'check', title: '', text: '' },
        fields: [line('title', 'Title'), text('text', 'Text')],
      }),
      line('about.award', 'Award', {
        kind: 'group',
        optional: true,
        isMarked: true,
        fields: [line('title', 'Award'), line('by', 'Given by'), line('year', 'Year')],
      }),
    ],
  },
  emergency: {
    title: 'Emergencies',
    sample: 'emergency.sample',
    fields: [
      line('emergency.heading', 'Heading'),
      text('emergency.text', 'Text'),
      text('emergency.claim', 'Response time', 'Leave it empty if you don’t measure it.'),
      text('emergency.notUrgent', 'Note for non-urgent requests', 'Shown if you’re always open.'),
      text(
        'emergency.limitedHours.notUrgent',
        'Note for non-urgent requests (limited hours)',
        'Shown if you aren’t open 24/7.',
      ),
    ],
  },
  services: {
    title: 'Services',
    sample: 'services.sample',
    fields: [
      line('services.cards', 'Services', {
        kind: 'list',
        hint: 'At least three',
        item: 'service',
        newItem: { icon: 'roof', title: '', text: '' },
        fields: [line('title', 'Title'), text('text', 'Text')],
      }),
    ],
  },
  testimonials: {
    title: 'Reviews',
    hint: 'Publish only real reviews. Fake ones are against US law (16 CFR 465).',
    fields: [
      line('testimonials.reviews', 'Reviews', {
        kind: 'list',
        isMarked: true,
        hint: 'Without reviews, the page has no review section.',
        item: 'review',
        newItem: { name: '', text: '' },
        fields: [
          line('name', 'Name'),
          text('text', 'Review'),
          line('town', 'Town', { optional: true }),
          line('job', 'Job', { optional: true, hint: 'For example, New roof' }),
          line('month', 'Month', { optional: true, hint: 'For example, March 2026' }),
          line('source', 'Source', { optional: true, hint: 'For example, Google' }),
        ],
      }),
      line('testimonials.allReviews', 'Link to all reviews', {
        kind: 'group',
        optional: true,
        fields: [line('label', 'Link text'), link('Link')],
      }),
    ],
  },
}

export const editorSections: readonly EditorSection[] = [
  {
    id: 'company',
    title: 'Contact',
    hint: 'Your phone number appears in the header, in the form, and in every email to homeowners.',
    sample: 'company.sample',
    fields: [
      line('company.phone', 'Phone number', { kind: 'phone' }),
      line('company.license', 'License', {
        optional: true,
        hint: 'Shown in the footer and in the highlight with the shield.',
      }),
      line('company.email', 'Email', {
        kind: 'email',
        optional: true,
        hint: 'Visitors see it in the footer.',
      }),
      line('company.address', 'Address', {
        kind: 'group',
        optional: true,
        fields: [
          line('street', 'Street'),
          line('city', 'City'),
          line('state', 'State', { hint: 'Two capital letters, such as MN' }),
          line('zip', 'ZIP code'),
        ],
      }),
      line('company.areaServed', 'Service area', {
        kind: 'list',
        hint: 'Towns, counties, or states',
        item: 'place',
        newItem: '',
        fields: [line('', 'Place')],
      }),
    ],
  },
  {
    id: 'hours',
    title: 'Hours',
    hint: 'When you call leads back. The page, deadlines, and alerts use these hours.',
    fields: [
      line('hours.open', 'Business hours', {
        kind: 'hours',
        hint: 'The preview image for shared links doesn’t update automatically. After a change, ask the person who set up this site to update it.',
      }),
      line('hours.closedDates', 'Holidays', {
        kind: 'list',
        hint: 'Days when you’re closed. For a yearly holiday, check “Every year.”',
        item: 'holiday',
        newItem: '',
        fields: [line('', 'Date', { kind: 'date' })],
      }),
      line('hours.emergencies', 'Emergencies', {
        kind: 'choice',
        choices: [
          { value: 'always', label: 'We call back at any hour' },
          { value: 'when open', label: 'We call back only while we’re open' },
        ],
      }),
      line('hours.promiseMinutes', 'Minutes until you call', {
        kind: 'number',
        hint: 'You promise a call within this time while you’re open. To show this number in any text on the page, type {minutes} in that text.',
      }),
    ],
  },
  {
    id: 'hero',
    title: 'Top of the page',
    sample: 'hero.sample',
    fields: [
      line('hero.headline', 'Headline'),
      line('hero.trust', 'Claim beside the stars', {
        optional: true,
        hint: 'For example, Licensed and insured. With five or more reviews, the page also shows the number of reviews.',
      }),
      text('hero.lead', 'Text', 'The page adds your service area after this text.'),
      line('hero.statistics', 'Numbers', {
        kind: 'list',
        item: 'number',
        newItem: { value: '', label: '' },
        fields: [
          line('value', 'Number', { hint: 'For example, 5,200+' }),
          line('label', 'What it counts'),
        ],
      }),
    ],
  },
  {
    id: 'consent',
    title: 'Consent',
    anchor: 'estimate',
    fields: [
      text(
        'form.consent.text',
        'Consent text',
        'Visitors agree to this when they send the form. To show your company’s name, type {company}. Each lead records which version of this text the visitor saw.',
      ),
    ],
  },
  ...sectionNames.map((name) => ({ id: name, anchor: name, ...sections[name] })),
  {
    id: 'footer',
    title: 'Footer',
    anchor: 'quick-links',
    fields: [line('footer.tagline', 'Line below the logo')],
  },
]

/** How deeply the values of each kind are nested. A list contains groups of lines, and hours contain lists of times. */
const depths: Record<Kind, number> = {
  ...{ line: 0, text: 0, phone: 0, email: 0, link: 0, number: 0, date: 0, choice: 0 },
  ...{ group: 1, list: 2, hours: 2 },
}

/** The entries that a draft may contain: the fields, their sample marks, and the version of the consent. */
export const editableEntries: readonly { path: string; depth: number }[] = [
  ...editorSections.flatMap(({ sample, fields }) => [
    ...(sample ? [{ path: sample, depth: 0 }] : []),
    ...fields.map(({ path, kind }) => ({ path, depth: depths[kind] })),
  ]),
  { path: 'form.consent.version', depth: 0 },
]

/** Returns the labels that the owner sees for an entry. Those for services.cards.1.title are “Services” and “Title”. */
export function findLabel(path: string): { section: string; label: string } | undefined {
  const [, day] = path.match(/^hours\.open\.(\w+)/) ?? []
  const dayName = dayNames[day as Weekday]
  for (const { id, title: section, fields } of editorSections) {
    if (path === id) return { section, label: section }
    for (const field of fields) {
      if (path === field.path) return { section, label: field.label }
      if (!path.startsWith(`${field.path}.`)) continue
      if (dayName) return { section, label: `${dayName}’s hours` }
      const rest = path.slice(field.path.length + 1)
      const inner = field.kind === 'list' ? rest.replace(/^\d+\.?/, '') : rest
      const found = field.fields?.find((each) => each.path === inner)
      return { section, label: (found ?? field).label }
    }
  }
}

/** Examples: “Services: Title”, or only “Services” for the section's list. */
export const joinLabels = (section: string, label: string): string =>
  section === label ? section : `${section}: ${label}`
