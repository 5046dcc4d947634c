import { type ReactNode, useEffect, useRef } from 'react'
import { hasMoved } from './route.ts'

/** With the company's name, which is built into the page. */
export const deskTitle = import.meta.env.SSR ? '' : document.title

/** The head of a screen. Whoever went there by keyboard or with a screen reader starts here. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} dir="auto">
      {children}
    </h1>
  )
}
