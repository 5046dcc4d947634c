import { About } from './sections/about.tsx'
import { EmergencyBand } from './sections/emergency-band.tsx'
import { Footer } from './sections/footer.tsx'
import { Header } from './sections/header.tsx'
import { Hero } from './sections/hero.tsx'
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
