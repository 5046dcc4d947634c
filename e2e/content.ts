import * as content from '#site/content.ts'
import { fillIn } from '#site/schema/placeholders.ts'

/** The content as visitors see it. */
export const { about, company, emergency, form, hero, hours, services, testimonials } = fillIn({
  ...content,
})
