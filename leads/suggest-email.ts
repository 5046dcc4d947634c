import { countEdits } from './words.ts'

// Common email domains in the US, and real domains that look like typos of them.
const commonDomains = [
  'gmail.com',
  'yahoo.com',
  'hotmail.com',
  'outlook.com',
  'icloud.com',
  'aol.com',
  'comcast.net',
  'verizon.net',
  'att.net',
  'sbcglobal.net',
  'bellsouth.net',
  'live.com',
  'msn.com',
]
const lookAlikes = ['mail.com', 'ymail.com', 'email.com', 'gmx.com', 'gmx.net', 'me.com', 'mac.com']

/** Returns the address that the visitor probably meant, if the domain has an obvious typo. */
export function suggestEmail(email: string): string | undefined {
  const [name, domain, ...rest] = email.trim().toLowerCase().split('@')
  if (!name || !domain || rest.length > 0) return undefined
  if (commonDomains.includes(domain) || lookAlikes.includes(domain)) return undefined
  const meant = commonDomains.find((common) => countEdits(domain, common) === 1)
  return meant && `${email.trim().split('@')[0]}@${meant}`
}
