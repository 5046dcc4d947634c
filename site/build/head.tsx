import { brand } from '../brand/brand.ts'
import { company, head } from '../content.ts'
import { heroPictures } from '../sections/hero.tsx'
import { formatBusiness } from './business.ts'

/** Without a public address, what needs one is left out: a wrong one would be worse than none. */
export function LandingHead({ publicUrl }: { publicUrl: string | undefined }) {
  const preload = {
    rel: 'preload',
    as: 'image',
    type: 'image/avif',
    fetchPriority: 'high',
  } as const
  const { phone, wide } = heroPictures
  return (
    <>
      <title>{head.title}</title>
      <meta name="description" content={head.description} />
      <meta name="theme-color" content={brand.colors.ink} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={company.name} />
      <meta property="og:title" content={head.title} />
      <meta property="og:description" content={head.description} />
      {publicUrl !== undefined && (
        <>
          <link rel="canonical" href={`${publicUrl}/`} />
          <meta property="og:url" content={`${publicUrl}/`} />
          <meta property="og:image" content={`${publicUrl}/og.jpg`} />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta property="og:image:alt" content={head.pictureAlt} />
          <meta name="twitter:card" content="summary_large_image" />
          <meta name="twitter:image" content={`${publicUrl}/og.jpg`} />
        </>
      )}
      <link {...preload} media={phone.media} href={phone.srcSet} />
      <link {...preload} media={wide.media} imageSrcSet={wide.srcSet} imageSizes={wide.sizes} />
      <link
        rel="preload"
        href={brand.headingFont ? `/brand/${brand.headingFont.file}` : '/fonts/archivo.woff2'}
        as="font"
        type="font/woff2"
        crossOrigin=""
        // The words are readable before it, in the same width; the picture goes first.
        fetchPriority="low"
      />
      <script
        type="application/ld+json"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotes of the JSON
        dangerouslySetInnerHTML={{ __html: formatBusiness(publicUrl) }}
      />
    </>
  )
}

export const NotFoundHead = () => (
  <>
    <title>{head.notFoundTitle}</title>
    <meta name="robots" content="noindex" />
  </>
)
