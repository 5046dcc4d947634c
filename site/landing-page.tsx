import { formatBusiness } from './build/business.ts'
import { company, head } from './content.ts'
import { About } from './sections/about.tsx'
import { EmergencyBand } from './sections/emergency-band.tsx'
import { Footer } from './sections/footer.tsx'
import { Header } from './sections/header.tsx'
import { Hero, heroPictures } from './sections/hero.tsx'
import { Services } from './sections/services.tsx'
import { Testimonials } from './sections/testimonials.tsx'

export function LandingPage() {
  return (
    <>
      <Header />
      <main>
        <Hero />
        <About />
        <EmergencyBand />
        <Services />
        <Testimonials />
      </main>
      <Footer />
    </>
  )
}

/** Without a public address, what needs one is left out: a wrong one would be worse than none. */
export function LandingHead({ publicUrl }: { publicUrl: string | undefined }) {
  return (
    <>
      <title>{head.title}</title>
      <meta name="description" content={head.description} />
      <meta name="theme-color" content="#1b2326" />
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
      <link
        rel="preload"
        as="image"
        type="image/avif"
        media={heroPictures.phone.media}
        href={heroPictures.phone.srcSet}
        fetchPriority="high"
      />
      <link
        rel="preload"
        as="image"
        type="image/avif"
        media={heroPictures.wide.media}
        imageSrcSet={heroPictures.wide.srcSet}
        imageSizes={heroPictures.wide.sizes}
        fetchPriority="high"
      />
      <link
        rel="preload"
        href="/fonts/archivo.woff2"
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
