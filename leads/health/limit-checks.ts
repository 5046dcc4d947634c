import { formatClock } from '../clock.ts'
import type { ReachedLimit } from '../store/confirmation-limits.ts'
import { maxUnusedLinks } from '../store/desk-access.ts'
import { type Check, defineCheck, type HealthContext } from './check.ts'

const explainSignIn = (addresses: readonly string[]) =>
  `${new Intl.ListFormat('en-US').format(addresses)} can’t get another sign-in link until one of their ${maxUnusedLinks} unused links is used or expires. The unused links still work.`

function explainConfirmations({ kind, emails, until }: ReachedLimit, context: HealthContext) {
  const { timeZone } = context.env
  const time = formatClock(until, { now: context.now, timeZone })
  const reached =
    kind === 'all'
      ? `The site has reached its daily limit of ${emails} confirmation emails. Homeowners get them again after ${time}.`
      : `Requests from one internet connection have reached the daily limit of ${emails} confirmation emails. Homeowners on that connection get them again after ${time}.`
  return `${reached} Leads and alerts work as usual.`
}

/** These limits protect mailboxes. The warnings disappear on their own. */
export const limitChecks: readonly Check[] = [
  defineCheck({
    id: 'sign-in-limit',
    // Not in /healthz, which is public: a stranger could request links and see which addresses can sign in.
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => {
      const addresses = database?.limitedAddresses ?? []
      return addresses.length > 0 ? addresses : undefined
    },
    forOwner: (addresses) => ({
      text: `${explainSignIn(addresses)} If your crew didn’t request them, ask the person who set up this site for help.`,
    }),
    forDeveloper: (addresses) => ({
      text: explainSignIn(addresses),
      next: 'If the crew didn’t request them, find the sender’s IP address in your proxy’s log and block it there. The warning disappears within 15 minutes',
    }),
  }),
  defineCheck({
    id: 'confirmation-limit',
    runsIn: ['healthz', 'desk', 'doctor'],
    find: ({ database }) => database?.confirmationLimit,
    forOwner: (limit, context) => ({
      text: `${explainConfirmations(limit, context)} Look for fake leads under All leads.`,
    }),
    forDeveloper: (limit, context) => ({
      text: explainConfirmations(limit, context),
      next: 'Look for fake leads on the desk. If all visitors seem to share one network, check TRUSTED_PROXIES',
    }),
  }),
]
