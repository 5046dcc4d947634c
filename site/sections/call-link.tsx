import type { ReactNode } from 'react'
import { callHref } from '../content.ts'

/** One tap to call. The number's whole area is the target. */
export function CallLink({ className, children }: { className: string; children: ReactNode }) {
  return (
    <a href={callHref} className={className}>
      {children}
    </a>
  )
}
