import {
  type ComponentType,
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { type DeskRoute, mayUse } from '#leads/desk/roles.ts'
import type { Today } from '#leads/desk/today.ts'
import { minuteMs } from '#leads/time-units.ts'
import { readFirstName } from '#leads/words.ts'
import { AskForNotifications } from './ask-for-notifications.tsx'
import { Banner } from './banner.tsx'
import { countToCall, findCard, passTime } from './cards.ts'
import { clearDrafts, readDraft } from './drafts.ts'
import { Button, deskTitle, Heading, Icon, Mark } from './elements.tsx'
import { useKeptFocus } from './kept-focus.ts'
import { findLoaded, forgetLoaded } from './loaded.ts'
import { Hours, Me, Sender, TimeZone } from './me.ts'
import { Notice, showError } from './notice.tsx'
import { forgetDialed, resume } from './outbox.ts'
import { repairSubscription } from './push-notifications.ts'
import { formatRoute, parseRoute, type Route, readScroll, type Screen, useHash } from './route.ts'
import { AddLead, sendNewLead } from './screens/add-lead.tsx'
import { AllLeads } from './screens/all-leads.tsx'
import { LeadScreen } from './screens/lead.tsx'
import { PeopleScreen } from './screens/people.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { TodayScreen } from './screens/today.tsx'
import { createStored } from './stored.ts'
import { refresh, useClock, usePolling } from './use-polling.ts'

const screens = [
  ['today', 'Today'],
  ['leads', 'All leads'],
  ['report', 'Report'],
  ['page', 'Page'],
  ['people', 'People'],
] as const

// The crew rarely needs these screens, so they are not in the main bundle.
const PageScreen = lazyScreen(async () => (await import('./page/page-screen.tsx')).PageScreen)
const ReportScreen = lazyScreen(async () => (await import('./screens/report.tsx')).ReportScreen)

function lazyScreen<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(
    (): Promise<{ default: ComponentType<Props> }> =>
      import.meta.env.SSR
        ? new Promise<never>(() => {})
        : load().then(
            (screen) => ({ default: screen }),
            // A tab that was opened before an update may request a file that the server no longer has.
            () => ({ default: NotLoaded }),
          ),
  )
}

function NotLoaded() {
  return (
    <>
      <p>This screen couldn’t be loaded. Check the connection, then reload the desk.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </>
  )
}

type RailData = Pick<Today, 'company' | 'me'>

// Stored so that the navigation rail looks the same after a reload without a connection.
const storedRail = createStored<RailData>('rail')

/** The data that the server sent with the page. */
export type Start = { data: Today; at: number }

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
  const today = usePolling<Today>('/api/today', undefined, start)
  const { screen, leadId, query } = parseRoute(hash)
  useNavigation(hash)
  useKeptFocus()
  const { now } = useClock(minuteMs)
  const shown = today.data && passTime(today.data, now)
  const waiting = shown ? countToCall(shown.totals) : 0
  const firstId = useFirstLead(shown?.leads[0]?.id)
  useEffect(() => {
    document.title = waiting > 0 ? `${waiting} to call · ${deskTitle}` : deskTitle
    void navigator.setAppBadge?.(waiting)?.catch(() => {})
  }, [waiting])
  const isSignedIn = today.data !== undefined
  const showCallError = useEffectEvent((error: Error, leadId: string) => {
    const lead = shown && findCard(shown.leads, leadId)?.lead
    showError(error, lead?.name)
  })
  const storeRail = useEffectEvent(() => {
    if (shown) storedRail.write({ company: shown.company, me: shown.me })
  })
  useEffect(() => {
    if (!isSignedIn) return
    storeRail()
    // Safari has no requestIdleCallback.
    const whenIdle = window.requestIdleCallback ?? setTimeout
    whenIdle(() => {
      void navigator.serviceWorker?.register('/sw.js').catch(() => {})
      void repairSubscription().catch(() => {})
    })
    void sendNewLead()
    void resume(showCallError).then(refresh)
  }, [isSignedIn])
  useEffect(() => {
    if (!today.isSignedOut) return
    clearDrafts()
    forgetDialed()
    forgetLoaded()
    storedRail.clear()
  }, [today.isSignedOut])
  if (today.isSignedOut) return <SignIn token={undefined} onEnter={onChange} />
  if (!shown)
    return today.trouble ? (
      <div className="shell">
        <Rail screen={screen} today={storedRail.read()} />
        <main className="content empty">
          <Mark />
          <Heading>{today.trouble}</Heading>
          <p role="status">Retrying automatically.</p>
        </main>
      </div>
    ) : (
      <main className="sign-in">
        <Mark />
      </main>
    )
  const { leads, me, warnings, hours, company } = shown
  const may = (route: DeskRoute) => mayUse(me.role, route)
  const canEditPage = may('GET /api/page')
  const hasPanes = screen === 'today' || screen === 'leads'
  const shownId = leadId ?? (screen === 'today' ? firstId : undefined)
  return (
    <Me value={me.email}>
      <Sender value={`${readFirstName(me.person ?? '')} from ${company}`}>
        <TimeZone value={hours.timeZone}>
          <Hours value={hours}>
            <div className="shell">
              <Rail screen={screen} today={shown} waiting={waiting} />
              <div className="content">
                <Banner today={today} warnings={warnings} />
                <main data-shows={hasPanes ? (leadId ? 'lead' : 'list') : undefined}>
                  <div className="list-pane">
                    {screen === 'today' && <TodayScreen {...shown} shownId={shownId} />}
                    {screen === 'leads' && (
                      <AllLeads
                        query={query}
                        fresh={leads}
                        shownId={leadId}
                        canExport={may('POST /api/spreadsheet')}
                      />
                    )}
                    {screen === 'add' && <AddLead />}
                    {screen === 'report' && (
                      <Suspense fallback={<p>Loading…</p>}>
                        <ReportScreen query={query} {...shown} />
                      </Suspense>
                    )}
                    {screen === 'page' &&
                      (canEditPage ? (
                        <Suspense fallback={<p>Loading…</p>}>
                          <PageScreen sectionId={query} email={me.email} />
                        </Suspense>
                      ) : (
                        <p>
                          Only owners can change the page. Ask an owner to make you an owner under
                          People.
                        </p>
                      ))}
                    {screen === 'people' && <PeopleScreen me={me} onSignOut={onChange} />}
                  </div>
                  {hasPanes && (shownId || (screen === 'today' && leads.length > 0)) && (
                    <div className="lead-pane">
                      {leadId && (
                        <a className="back" href={formatRoute({ screen, query })}>
                          <Icon name="back" />
                          {screen === 'today' ? 'Today' : 'All leads'}
                        </a>
                      )}
                      {shownId && (
                        <LeadScreen
                          key={shownId}
                          id={shownId}
                          loaded={findCard(leads, shownId) ?? findLoaded(shownId)}
                          isChosen={leadId !== undefined}
                          canErase={may('DELETE /api/leads/:id')}
                        />
                      )}
                    </div>
                  )}
                </main>
              </div>
              {screen === 'today' && <AskForNotifications />}
              <Notice today={today} />
            </div>
          </Hours>
        </TimeZone>
      </Sender>
    </Me>
  )
}

function Rail({
  screen,
  today,
  waiting = 0,
}: {
  screen: Screen
  today: RailData | undefined
  waiting?: number
}) {
  const canEditPage = today && mayUse(today.me.role, 'GET /api/page')
  const shown = screens.filter(([to]) => to !== 'page' || canEditPage)
  return (
    <nav className="rail" aria-label="Desk">
      <p className="company">
        <Mark />
        {today?.company}
      </p>
      {shown.map(([to, name]) => (
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
      {today && (
        <p className="me">
          <b dir="auto">{today.me.person}</b>
          <br />
          {today.me.role === 'owner' ? 'Owner' : 'Crew'}
        </p>
      )}
    </nav>
  )
}

/**
 * On a wide screen, opens the first lead on Today beside the list. Doesn't replace it while the person is working in
 * its pane or has an unsent note.
 */
function useFirstLead(firstId: string | undefined): string | undefined {
  const [openId, setOpenId] = useState<string>()
  // Without a dependency array, this also runs after every poll.
  useEffect(() => {
    const isBusy = openId && (readDraft(openId) || document.activeElement?.closest('.lead-pane'))
    if (!isBusy) setOpenId(matchMedia('(min-width: 64rem)').matches ? firstId : undefined)
  })
  return openId
}

/** Scrolls to the top after navigation. On return from a lead, restores the focus and the scroll position instead. */
function useNavigation(hash: string) {
  const before = useRef<Route>(parseRoute(hash))
  useLayoutEffect(() => {
    const was = before.current
    const is = parseRoute(hash)
    before.current = is
    if (was.screen === is.screen && was.leadId === is.leadId) return
    const isWide = matchMedia('(min-width: 64rem)').matches
    if (was.screen === is.screen && was.leadId && !is.leadId) {
      const card = document.getElementById(`lead-${was.leadId}`)
      card?.querySelector('a')?.focus({ preventScroll: true })
      if (!isWide) scrollTo(0, readScroll(hash))
    } else if (was.screen !== is.screen || !isWide) scrollTo(0, 0)
  }, [hash])
}
