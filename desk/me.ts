import { createContext } from 'react'
import type { BusinessHours } from '#leads/hours.ts'
import type { LeadCard } from '#leads/reports/describe.ts'

/** The email of the signed-in person. Names can change, and two people may have the same one. */
export const Me = createContext('')

/** Introduces the signed-in person to homeowners: Sam from Ridgeline Roofing. */
export const Sender = createContext('')

/** The desk shows all times in the company's time zone, not the phone's. */
export const TimeZone = createContext('UTC')

// The hours are a new object in each response. They are separate from the time zone, so that rows that need only the
// zone do not render again.
export const Hours = createContext<BusinessHours | undefined>(undefined)

/** Returns true if this person is calling, or called last. */
export const isCaller = ({ callerEmail }: LeadCard, me: string) => callerEmail === me
