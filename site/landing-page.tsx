import { head } from './content.ts'
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

export function LandingHead() {
  return (
    <>
      <title>{head.title}</title>
      <meta name="description" content={head.description} />
      <meta name="theme-color" content="#1b2326" />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={head.title} />
      <meta property="og:description" content={head.description} />
      <meta property="og:image" content="/og.jpg" />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={head.pictureAlt} />
      <meta name="twitter:card" content="summary_large_image" />
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
        href="/site/fonts/archivo.woff2"
        as="font"
        type="font/woff2"
        crossOrigin=""
      />
    </>
  )
}
