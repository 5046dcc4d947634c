import { palette } from '#leads/brand.json'
import { listHeroPictures } from '../sections/hero.tsx'
import { findFile, type PageProps } from './build.ts'
import { formatBusiness } from './business.ts'
import { Script, Style } from './code.tsx'

/** The landing page's head. Omits tags that need a public URL if there is none. */
export function LandingHead({ content, build }: PageProps) {
  const { company, head } = content
  const { publicUrl } = build
  const preload = {
    rel: 'preload',
    as: 'image',
    type: 'image/avif',
    fetchPriority: 'high',
  } as const
  const { tall, wide } = listHeroPictures(build)
  return (
    <>
      <title>{head.title}</title>
      <meta name="description" content={head.description} />
      <meta name="theme-color" content={palette.ink} />
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
        </>
      )}
      <Icons />
      <link {...preload} media={tall.media} href={tall.srcSet} />
      <link {...preload} media={wide.media} imageSrcSet={wide.srcSet} imageSizes={wide.sizes} />
      <link
        rel="preload"
        href={findFile(build, 'fonts/archivo.woff2')}
        as="font"
        type="font/woff2"
        crossOrigin=""
        // Let the hero picture load first, because the fallback fonts have the same widths.
        fetchPriority="low"
      />
      <script
        type="application/ld+json"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotes in the JSON
        dangerouslySetInnerHTML={{ __html: formatBusiness(content, publicUrl) }}
      />
      <Style code={build.styles.landing} />
    </>
  )
}

export const NotFoundHead = ({ content, build }: PageProps) => (
  <>
    <title>{content.head.notFoundTitle}</title>
    <meta name="robots" content="noindex" />
    <Icons />
    <Style code={build.styles.notFound} />
    <Script code={build.missingPage} />
  </>
)

// Do not inline the icons, because the browser loads them only after the page.
const Icons = () => (
  <>
    <link rel="icon" href="/favicon.ico" sizes="32x32" />
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
  </>
)
