import type { ReactNode } from 'react'

/** Scrolls to the top, where the form is; page.ts makes it smooth. A plain link without scripts. */
export function ToTopButton({ className, children }: { className: string; children: ReactNode }) {
  return (
    <>
      <button type="button" data-to-top className={`to-top ${className}`}>
        {children}
      </button>
      <noscript>
        {/* No element has this id: the browser then goes to the top of the page. */}
        <a href="#top" className={className}>
          {children}
        </a>
      </noscript>
    </>
  )
}
