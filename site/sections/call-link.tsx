import type { ReactNode } from 'react'
import { company } from '../content.ts'

export const telNumber = `+1${company.phone.replace(/\D/g, '')}`
export const callHref = `tel:${telNumber}`

export function CallLink({ className, children }: { className: string; children: ReactNode }) {
  return (
    <a href={callHref} className={className}>
      {children}
    </a>
  )
}
