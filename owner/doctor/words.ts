import { findSamples } from '#site/build/samples.ts'
import { type Finding, ok, toDo } from './check.ts'

/** What doctor reads of site/content.ts. */
export type Content = {
  company: { name: string; phone: string }
  about?: { award?: object | undefined }
  testimonials: { rows: readonly (readonly object[])[] }
}

const file = 'site/content.ts'
const isTestimonial = (path: string) => path.startsWith('testimonials.')

export function checkWords(content: Content, sharePicture: Uint8Array | undefined): Finding {
  const samples = findSamples(content)
  const { company, testimonials } = content
  const others = samples.filter((path) => path !== 'company' && !isTestimonial(path))
  return [
    samples.includes('company')
      ? toDo(
          'company',
          `The company is the sample's, ${company.name}.`,
          `${file}, company: your name, phone, year and area. Delete \`sample: true\`, then read the whole file: every figure and claim must be true of you.`,
        )
      : ok('company', `The company: ${company.name}.`),
    checkPhone(company.phone),
    others.map((path) => {
      const next = `${file}, ${path}: yours, and no \`sample: true\`; or delete it.`
      return toDo(path, `A sample is left: ${path}.`, next)
    }),
    checkTestimonials(samples.filter(isTestimonial).length, testimonials.rows.flat().length),
    checkSharePicture(company.name, sharePicture),
  ]
}

// 555 is no area code, and 555-01xx is kept for films and examples in every other.
function checkPhone(phone: string): Finding {
  const next = `${file}, company.phone: the number that people shall call.`
  return /^\(555\)|\) 555-01\d\d$/.test(phone)
    ? toDo('phone', `The phone number is a placeholder: ${phone}.`, next)
    : ok('phone', `The phone number: ${phone}.`)
}

function checkTestimonials(samples: number, all: number): Finding {
  if (all === 0) return ok('testimonials', 'There are no testimonials: the section is left out.')
  if (samples === 0) return ok('testimonials', `None of the ${all} testimonials is a sample.`)
  return toDo(
    'testimonials',
    `${samples} of ${all} testimonials ${samples === 1 ? 'is' : 'are'} invented. US law fines publishing them: over $50,000 each (16 CFR 465).`,
    `${file}, rows: real words of real customers, each without \`sample: true\`. Fewer will do: delete the rest.`,
  )
}

// `npm run art` writes into the picture whose name it shows. An owner's own picture says nothing.
function checkSharePicture(name: string, picture: Uint8Array | undefined): Finding {
  const text = Buffer.from(picture ?? []).toString('utf8')
  const says = 'The picture of shared links (site/public/og.jpg) shows another name.'
  return (
    text.includes('Share picture of ') &&
    !text.includes(`Share picture of ${name}`) &&
    toDo('share picture', says, 'npm run art -- share')
  )
}
