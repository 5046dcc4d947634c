import type { ReactNode } from 'react'

/** Scrolls smoothly to the top, where the form is (page.ts). Without scripts, it is a link. */
export function ToTopButton({ className, children }: { className: string; children: ReactNode }) {
  return (
    <>
      <button type="button" data-to-top className={`to-top ${className}`}>
        {children}
      </button>
      <noscript>
        {/* No element has this ID. Browsers treat #top as the top of the page. */}
        <a href="#top" className={className}>
          {children}
        </a>
      </noscript>
    </>
  )
}
