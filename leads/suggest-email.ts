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
  const meant = commonDomains.find((common) => isOneTypoAway(domain, common))
  return meant && `${email.trim().split('@')[0]}@${meant}`
}

/** Returns true if one letter is missing, added, changed, or swapped with its neighbor. */
function isOneTypoAway(typed: string, meant: string) {
  let start = 0
  while (start < typed.length && typed[start] === meant[start]) start++
  const [restTyped, restMeant] = [typed.slice(start), meant.slice(start)]
  const swapped = restTyped.slice(1, 2) + restTyped.slice(0, 1) + restTyped.slice(2)
  return (
    restTyped.slice(1) === restMeant ||
    restTyped === restMeant.slice(1) ||
    restTyped.slice(1) === restMeant.slice(1) ||
    swapped === restMeant
  )
}
