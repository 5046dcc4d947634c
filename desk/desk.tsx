import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { setCompanyTimeZone } from '#leads/clock.ts'
import { type DeskRoute, mayUse } from '#leads/desk/roles.ts'
import type { Today as TodayData } from '#leads/desk/today.ts'
import { readFirstName } from '#leads/words.ts'
import { Banner } from './banner.tsx'
import { setBusinessHours } from './call-times.ts'
import { countToCall } from './countdown.ts'
import { clearDrafts } from './drafts.ts'
import { Button, deskTitle, Icon, Mark } from './elements.tsx'
import { identify, Me, Sender } from './me.ts'
import { Notice } from './notice.tsx'
import { repairSubscription } from './push-notifications.ts'
import { formatRoute, parseRoute, type Route, readScroll, useHash } from './route.ts'
import { AddLead, sendNewLead } from './screens/add-lead.tsx'
import { AllLeads } from './screens/all-leads.tsx'
import { Lead } from './screens/lead.tsx'
import { People } from './screens/people.tsx'
import { ReportScreen } from './screens/report.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { Today } from './screens/today.tsx'
import { useAtNow, usePolling } from './use-polling.ts'

const screens = [
  ['today', 'Today'],
  ['leads', 'All leads'],
  ['report', 'Report'],
  ['page', 'Page'],
  ['people', 'People'],
] as const

// Only owners need this code, so it is not part of the first script.
const PageScreen = lazy(() =>
  import.meta.env.SSR
    ? new Promise<never>(() => {})
    : import('./page/page-screen.tsx').then(
        (code) => ({ default: code.PageScreen }),
        // An older tab asks for a file that the server no longer has.
        () => ({ default: NotLoaded }),
      ),
)

const NotLoaded = () => (
  <>
    <p>This screen couldn’t be loaded. Check the connection, then reload the desk.</p>
    <Button onClick={() => location.reload()}>Reload</Button>
  </>
)

/** Data that came with the page. */
export type Start = { data: TodayData; at: number }

export function Desk({ start }: { start?: Start | undefined }) {
  const [visit, setVisit] = useState(0)
  const hash = useHash()
  const token = hash.match(/^#enter=([\w-]+)$/)?.[1]
  const again = () => setVisit((count) => count + 1)
  if (token) return <SignIn key={token} token={token} onEnter={again} />
  const known = visit === 0 ? start : undefined
  return <SignedIn key={visit} hash={hash} start={known} onChange={again} />
}

function SignedIn({
  hash,
  start,
  onChange,
}: {
  hash: string
  start: Start | undefined
  onChange: () => void
}) {
  const today = usePolling<TodayData>('/api/today', undefined, start)
  if (today.data) {
    setCompanyTimeZone(today.data.timeZone)
    setBusinessHours(today.data.hours)
  }
  const { screen, leadId, query } = parseRoute(hash)
  useNavigation(hash)
  const waiting = useAtNow((now) => (today.data ? countToCall(today.data, now) : 0))
  useEffect(() => {
    document.title = waiting > 0 ? `${waiting} to call · ${deskTitle}` : deskTitle
    void navigator.setAppBadge?.(waiting)?.catch(() => {})
  }, [waiting])
  const isSignedIn = today.data !== undefined
  useEffect(() => {
    if (!isSignedIn) return
    // Safari has no requestIdleCallback.
    const whenIdle = window.requestIdleCallback ?? setTimeout
    whenIdle(() => void repairSubscription().catch(() => {}))
    void sendNewLead(today.refresh)
  }, [isSignedIn, today.refresh])
  useEffect(() => {
    if (today.isSignedOut) clearDrafts()
  }, [today.isSignedOut])
  if (today.isSignedOut) return <SignIn token={undefined} onEnter={onChange} />
  if (!today.data)
    return (
      <main className="sign-in">
        <Mark />
        <p role="status">{today.trouble ? `${today.trouble} Retrying automatically.` : ''}</p>
      </main>
    )
  const { leads, me, warnings } = today.data
  const may = (route: DeskRoute) => mayUse(me.role, route)
  const canEditPage = may('GET /api/page')
  const isShown = ([to]: (typeof screens)[number]) => to !== 'page' || canEditPage
  const hasPanes = screen === 'today' || screen === 'leads'
  return (
    <Me value={identify(me)}>
      <Sender value={`${readFirstName(me.person ?? '')} from ${today.data.company}`}>
        <div className="shell">
          <nav className="rail" aria-label="Desk">
            <Mark />
            {screens.filter(isShown).map(([to, name]) => (
              <a
                key={to}
                href={formatRoute({ screen: to })}
                aria-current={screen === to ? 'page' : undefined}
              >
                <Icon name={to} />
                {name}
                {to === 'today' && waiting > 0 && <b>{waiting}</b>}
              </a>
            ))}
          </nav>
          <div className="content">
            <Banner today={today} warnings={warnings} />
            <main data-shows={hasPanes ? (leadId ? 'lead' : 'list') : undefined}>
              <div className="list-pane">
                {screen === 'today' && (
                  <Today {...today.data} shownId={leadId} refresh={today.refresh} />
                )}
                {screen === 'leads' && (
                  <AllLeads
                    query={query}
                    fresh={leads}
                    shownId={leadId}
                    refresh={today.refresh}
                    canExport={may('POST /api/spreadsheet')}
                  />
                )}
                {screen === 'add' && <AddLead refresh={today.refresh} />}
                {screen === 'report' && <ReportScreen query={query} {...today.data} />}
                {screen === 'page' &&
                  (canEditPage ? (
                    <Suspense fallback={<p>Loading…</p>}>
                      <PageScreen
                        sectionId={query}
                        email={me.email}
                        timeZone={today.data.timeZone}
                      />
                    </Suspense>
                  ) : (
                    <p>Only owners can change the page. An owner can make you one under People.</p>
                  ))}
                {screen === 'people' && (
                  <People me={me} refreshMe={today.refresh} onSignOut={onChange} />
                )}
              </div>
              {hasPanes && (
                <div className="lead-pane">
                  {leadId ? (
                    <>
                      <a className="back" href={formatRoute({ screen, query })}>
                        <Icon name="back" />
                        {screen === 'today' ? 'Today' : 'All leads'}
                      </a>
                      <Lead
                        key={leadId}
                        id={leadId}
                        refreshList={today.refresh}
                        canErase={may('DELETE /api/leads/:id')}
                      />
                    </>
                  ) : (
                    <div className="empty">
                      <Mark />
                      <p>Choose a lead to see its details here.</p>
                    </div>
                  )}
                </div>
              )}
            </main>
          </div>
          <Notice today={today} />
        </div>
      </Sender>
    </Me>
  )
}

/** Restores scroll position and focus after navigation. */
function useNavigation(hash: string) {
  const before = useRef<Route>(parseRoute(hash))
  useLayoutEffect(() => {
    const was = before.current
    const is = parseRoute(hash)
    before.current = is
    if (was.screen === is.screen && was.leadId === is.leadId) return
    const isWide = matchMedia('(min-width: 64rem)').matches
    if (was.screen === is.screen && was.leadId && !is.leadId) {
      document.getElementById(`lead-${was.leadId}`)?.focus({ preventScroll: true })
      if (!isWide) scrollTo(0, readScroll(hash))
    } else if (was.screen !== is.screen || !isWide) scrollTo(0, 0)
  }, [hash])
}
