import { findSamples } from '#site/build/samples.ts'
import { type Finding, ok, toDo } from './check.ts'

/** What doctor reads of site/content.ts. */
export type Content = {
  company: { name: string; phone: string }
  testimonials: { rows: readonly (readonly object[])[] }
}

const file = 'site/content.ts'

export function checkWords(content: Content): Finding {
  const { company, testimonials } = content
  const { invented = [], other = [] } = Object.groupBy(findSamples(content), (path) =>
    path.startsWith('testimonials.') ? 'invented' : 'other',
  )
  // 555 is no area code, and 555-01xx is kept for films and examples in every other.
  const isPlaceholder = /^\(555\)|\) 555-01\d\d$/.test(company.phone)
  return [
    other.includes('company')
      ? toDo(
          `The company is the sample's, ${company.name}.`,
          `${file}, company: your name, phone, year and area. Delete \`sample: true\`, then read the whole file: every figure and claim must be true of you. npm run brand puts the name into the picture of shared links.`,
        )
      : ok(`The company: ${company.name}.`),
    isPlaceholder
      ? toDo(
          `The phone number is a placeholder: ${company.phone}.`,
          `${file}, company.phone: the number that people shall call.`,
        )
      : ok(`The phone number: ${company.phone}.`),
    other
      .filter((path) => path !== 'company')
      .map((path) => {
        const next = `${file}, ${path}: yours, and no \`sample: true\`; or delete it.`
        return toDo(`A sample is left: ${path}.`, next)
      }),
    invented.length === 0
      ? ok('No testimonial is a sample.')
      : toDo(
          `${invented.length} of ${testimonials.rows.flat().length} testimonials are invented. US law fines publishing them: over $50,000 each (16 CFR 465).`,
          `${file}, rows: real words of real customers, each without \`sample: true\`. Fewer will do: delete the rest.`,
        ),
  ]
}
