import type { Build } from '../render/build.ts'
import type { Content } from '../schema/content-schema.ts'

/** The content that the form shows. */
export type FormContent = ReturnType<typeof pickFormContent>

/**
 * The page contains this as JSON, so that publishing new content changes no script. Omits the wording for closed hours
 * if the company is always open, and the wording for address suggestions if the page has none.
 */
export function pickFormContent(
  { company, hours, form }: Content,
  { withMaps }: Pick<Build, 'withMaps'>,
) {
  const { notes, closed, suggestions, received, ...words } = form
  const { failedPlain, incompletePlain, refusedPlain, offline, ...formNotes } = notes
  return {
    phone: company.phone,
    hours,
    words: { ...words, notes: formNotes },
    closed: hours.open === 'always' ? undefined : closed,
    places: withMaps ? { region: company.region, ...suggestions } : undefined,
  }
}

/** Reads the content from the page. */
export const readFormContent = (container: HTMLElement): FormContent =>
  JSON.parse(container.dataset.content as string)
