import * as content from '#site/content.ts'
import { fillIn } from '#site/schema/placeholders.ts'

/** The content with its placeholders filled in. */
export const { about, company, emergency, form, hero, hours, services, testimonials } = fillIn({
  ...content,
})
