import type { ReactNode } from 'react'
import { callHref } from '../content.ts'

export function CallLink({ className, children }: { className: string; children: ReactNode }) {
  return (
    <a href={callHref} className={className}>
      {children}
    </a>
  )
}
