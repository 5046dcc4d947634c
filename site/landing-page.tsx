import type { ComponentType } from 'react'
import { EstimateNotices } from './estimate-form/estimate-card.tsx'
import type { PageProps } from './render/build.ts'
import { Script, Style } from './render/code.tsx'
import { type SectionName, sectionNames } from './schema/content-schema.ts'
import { About } from './sections/about.tsx'
import { EmergencyBand } from './sections/emergency-band.tsx'
import { Footer } from './sections/footer.tsx'
import { Header } from './sections/header.tsx'
import { Hero } from './sections/hero.tsx'
import { Services } from './sections/services.tsx'
import { Testimonials } from './sections/testimonials.tsx'

const sections: Record<SectionName, ComponentType<PageProps>> = {
  about: About,
  emergency: EmergencyBand,
  services: Services,
  testimonials: Testimonials,
}

export function LandingPage(props: PageProps) {
  return (
    <>
      <Header {...props} />
      <main>
        <Hero {...props} />
        <EstimateNotices {...props} />
        <Script code={props.build.script} />
        {/* The inline script loads this style sheet later (page.ts). */}
        <noscript>
          <Style code={props.build.styles.belowFold} />
        </noscript>
        {sectionNames.map((name) => {
          const Section = sections[name]
          return <Section key={name} {...props} />
        })}
      </main>
      <Footer {...props} />
    </>
  )
}
