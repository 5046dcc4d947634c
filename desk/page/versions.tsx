import { useEffect, useState } from 'react'
import { formatShortClock } from '#leads/clock.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { Version } from '#server/page-routes.ts'
import { request } from '../api.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { attempt } from '../notice.tsx'
import { useClock } from '../use-polling.ts'
import type { DraftStore } from './draft-store.ts'

/** Lists the published versions, with a button to publish each one again. */
export function Versions({ store, newest }: { store: DraftStore; newest: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Older versions</summary>
      {isOpen && <List key={newest} store={store} />}
    </details>
  )
}

const states = { shown: 'Visitors see this.', damaged: 'The text of this version is damaged.' }

function List({ store }: { store: DraftStore }) {
  const clock = useClock(minuteMs)
  const [versions, setVersions] = useState<Version[]>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    request<{ versions: Version[] }>('GET', '/api/page/versions').then(
      (answer) => setVersions(answer.versions),
      (error: Error) => setProblem(error.message),
    )
  }, [])
  if (!versions) return <p className="quiet">{problem ?? 'Loading…'}</p>
  const publish = (number: number) =>
    attempt(store.publishAgain(number, 'Published again. Visitors see it now.'), 'Published again.')
  return (
    <ul className="card sessions">
      {versions.map(({ number, person, at, state, changes }) => (
        <li key={number}>
          <div>
            <b dir="auto">
              {at === null ? 'The original page' : `${person}, ${formatShortClock(at, clock)}`}
            </b>
            <p className="quiet small">{changes.join(', ')}</p>
          </div>
          {state ? (
            <p className="quiet">{states[state]}</p>
          ) : (
            <ConfirmButton
              label="Publish this again"
              question="Publish this version again?"
              onConfirm={() => publish(number)}
            >
              Visitors will see the page as it was then. Your unpublished changes stay in the draft.
            </ConfirmButton>
          )}
        </li>
      ))}
    </ul>
  )
}
