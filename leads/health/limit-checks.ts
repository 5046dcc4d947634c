import { formatClock } from '../clock.ts'
import type { ReachedLimit } from '../store/limits.ts'
import { joinWords } from '../words.ts'
import type { Check, HealthContext } from './check.ts'

const explainSignIn = (addresses: readonly string[]) =>
  `${joinWords(addresses)} might not get another sign-in email until an earlier one is used or expires. The earlier ones still work.`

function explainConfirmations({ kind, emails, until }: ReachedLimit, context: HealthContext) {
  const { timeZone } = context.hours
  const time = formatClock(until, { now: context.now, timeZone })
  const reached =
    kind === 'all'
      ? `The site has reached its daily limit of ${emails} confirmation emails. It won’t send more until ${time}.`
      : `Requests from one internet connection have reached the daily limit of ${emails} confirmation emails. The site won’t send more to homeowners on that connection until ${time}.`
  return `${reached} Leads and alerts work as usual.`
}

/** These limits protect mailboxes. The warnings disappear when the limits reset. */
export const limitChecks: readonly Check[] = [
  {
    id: 'sign-in-limit',
    // Not in /healthz, which is public: a stranger could request links and see which email addresses can sign in.
    runsIn: ['desk', 'doctor'],
    find: ({ database }) => {
      const addresses = database?.limitedAddresses ?? []
      if (addresses.length === 0) return
      const text = explainSignIn(addresses)
      return {
        text,
        next: 'If the crew didn’t request them, find the sender’s IP address in your proxy’s log and block it there. The warning disappears within 15 minutes',
        forOwner: `${text} If your crew didn’t request them, ask the person who set up this site for help.`,
      }
    },
  },
  {
    id: 'confirmation-limit',
    runsIn: ['healthz', 'desk', 'doctor'],
    find: (context) => {
      const limit = context.database?.confirmationLimit
      if (!limit) return
      const text = explainConfirmations(limit, context)
      return {
        text,
        next: 'Look for fake leads on the desk. If all visitors seem to share one network, check TRUSTED_PROXIES',
        forOwner: `${text} Look for fake leads under All leads.`,
      }
    },
  },
]
