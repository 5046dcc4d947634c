import { createContext } from 'react'
import type { LeadCard } from '#leads/reports/describe.ts'

type Person = { email: string | null; person: string | null }

/** Two people may have the same name. People who signed in with a link from the server share an email. */
export const identify = ({ email, person }: Person) => JSON.stringify([email, person])

/** The signed-in person, as a string, so that a new response does not render every row again. */
export const Me = createContext('')

/** Introduces the signed-in person to homeowners: Sam from Ridgeline Roofing. */
export const Sender = createContext('')

/** Returns true if this person is calling, or called last. */
export const isCaller = ({ callerEmail, caller }: LeadCard, me: string) =>
  identify({ email: callerEmail, person: caller }) === me
