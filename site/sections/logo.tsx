import { logo } from '#leads/brand.json'

const size = 34

/** Long names do not fit in the header on tablets. Short ones fit there on most phones, in two lines. */
export function measureName(name: string): 'short' | 'long' | undefined {
  if (name.length > 28) return 'long'
  return name.length < 20 && name.split(' ').every((word) => word.length < 10) ? 'short' : undefined
}

/** The logo next to the company's name, in the color of the text around it. */
export function Logo({ name }: { name: string }) {
  return (
    <span className="logo">
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
