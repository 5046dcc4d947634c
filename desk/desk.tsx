import { useEffect, useState } from 'react'
import { formatSpan } from './countdown.ts'
import { AllLeads } from './screens/all-leads.tsx'
import { Lead } from './screens/lead.tsx'
import { People } from './screens/people.tsx'
import { PromiseScreen } from './screens/promise.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { Today, type TodayData } from './screens/today.tsx'
import { useFresh, useNow } from './use-fresh.ts'

const screens = [
  ['#/', 'Today'],
  ['#/leads', 'All leads'],
  ['#/promise', 'Promise'],
  ['#/people', 'People'],
] as const

function useHash(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const note = () => setHash(location.hash)
    addEventListener('hashchange', note)
    return () => removeEventListener('hashchange', note)
  }, [])
  return hash
}

export function Desk() {
  const [visit, setVisit] = useState(0)
  const hash = useHash()
  const token = hash.match(/^#enter=([\w-]+)$/)?.[1]
  const again = () => setVisit((count) => count + 1)
  if (token) return <SignIn token={token} onEnter={again} />
  return <SignedIn key={visit} hash={hash} onChange={again} />
}

function SignedIn({ hash, onChange }: { hash: string; onChange: () => void }) {
  const today = useFresh<TodayData>('/api/today')
  const now = useNow()
  if (today.isSignedOut) return <SignIn token={undefined} onEnter={onChange} />
  const leadId = hash.match(/^#\/lead\/([\w-]+)$/)?.[1]
  return (
    <>
      <nav aria-label="Desk">
        {screens.map(([to, name]) => (
          <a key={to} href={to} aria-current={(hash || '#/') === to ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {today.trouble && today.data && (
        <p className="strip" role="status">
          {today.trouble} What you see is {formatSpan(now - today.at)} old.
        </p>
      )}
      {today.data?.warnings.map((warning) => (
        <p className="strip" role="status" key={warning}>
          {warning}
        </p>
      ))}
      {leadId ? (
        <Lead id={leadId} now={now} />
      ) : hash === '#/leads' ? (
        <AllLeads now={now} />
      ) : hash === '#/promise' ? (
        <PromiseScreen />
      ) : hash === '#/people' ? (
        <People me={today.data?.me} now={now} onSignOut={onChange} />
      ) : today.data ? (
        <Today today={today} now={now} />
      ) : (
        <main>
          <p className="empty">{today.trouble ?? 'One moment …'}</p>
        </main>
      )}
    </>
  )
}
