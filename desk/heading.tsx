import { type ReactNode, useEffect, useRef } from 'react'
import { hasMoved } from './route.ts'

/** The head of a screen. Whoever went there by keyboard or with a screen reader starts here. */
export function Heading({ children, dir }: { children: ReactNode; dir?: 'auto' }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} dir={dir}>
      {children}
    </h1>
  )
}
