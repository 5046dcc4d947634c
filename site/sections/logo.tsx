import { logo } from '#leads/brand.json'

const size = 34

/** Longer names do not fit in the header on tablets. */
export const isLongName = (name: string) => name.length > 28

/** The logo next to the company's name: light on dark backgrounds, dark on light ones. */
export function Logo({ name, tone }: { name: string; tone: 'light' | 'dark' }) {
  return (
    <span data-logo={tone} className="logo">
      <svg
        viewBox={logo.viewBox}
        width={size * logo.ratio}
        height={size}
        aria-hidden="true"
        fill="currentColor"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the owner's own drawing
        dangerouslySetInnerHTML={{ __html: logo.shapes }}
      />
      <span>{name}</span>
    </span>
  )
}
