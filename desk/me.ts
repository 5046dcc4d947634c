import { createContext } from 'react'
import type { BusinessHours } from '#leads/hours.ts'
import type { LeadCard } from '#leads/reports/describe.ts'

/** The signed-in person's email address, because names can change and two people can have the same name. */
export const Me = createContext('')

/** How texts introduce the signed-in person to homeowners, such as “Sam from Ridgeline Roofing”. */
export const Sender = createContext('')

/** The desk shows all times in the company's time zone, not the phone's. */
export const TimeZone = createContext('UTC')

// Separate from the time zone, because each change to Today creates a new hours object, and rows that need only the
// time zone should not rerender.
export const Hours = createContext<BusinessHours | undefined>(undefined)

/** True if this person is calling or was the last to call. */
export const isCaller = ({ callerEmail }: LeadCard, me: string) => callerEmail === me
