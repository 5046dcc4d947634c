import type { PageProps } from './render/build.ts'
import { About } from './sections/about.tsx'
import { EmergencyBand } from './sections/emergency-band.tsx'
import { Footer } from './sections/footer.tsx'
import { Header } from './sections/header.tsx'
import { Hero } from './sections/hero.tsx'
import { Services } from './sections/services.tsx'
import { Testimonials } from './sections/testimonials.tsx'

export function LandingPage(props: PageProps) {
  return (
    <>
      <Header {...props} />
      <main>
        <Hero {...props} />
        <About {...props} />
        <EmergencyBand {...props} />
        <Services {...props} />
        <Testimonials {...props} />
      </main>
      <Footer {...props} />
    </>
  )
}
