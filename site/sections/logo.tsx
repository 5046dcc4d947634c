import drawing from '../brand/logo.svg?raw'
import { readLogo } from '../build/logo.ts'
import { company } from '../content.ts'

const { viewBox, shapes, ratio } = readLogo(drawing)
const size = 34

/** The mark beside the name, for dark or for light backgrounds. */
export function Logo({ tone }: { tone: 'light' | 'dark' }) {
  return (
    <span data-logo={tone} className="logo">
      <svg
        viewBox={viewBox}
        width={size * ratio}
        height={size}
        aria-hidden="true"
        fill="currentColor"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the owner's own drawing
        dangerouslySetInnerHTML={{ __html: shapes }}
      />
      <span>{company.name}</span>
    </span>
  )
}
