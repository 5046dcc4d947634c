import { Fragment } from 'react'
import { formatAgo } from '#leads/clock.ts'
import type { DeskWarning } from '#leads/desk/routes.ts'
import { count } from '#leads/words.ts'
import { request } from './api.ts'
import { Icon } from './elements.tsx'
import { attempt } from './notice.tsx'
import { type Polled, refresh, useClock } from './use-polling.ts'

// The desk polls every 2 s, so data this old means that the connection is stuck.
const oldMs = 8_000

export function Banner({
  today: { trouble, at },
  warnings,
}: {
  today: Polled<unknown>
  warnings: readonly DeskWarning[]
}) {
  const clock = useClock()
  const isLost = trouble !== undefined || clock.now - at > oldMs
  if (!isLost && warnings.length === 0) return null
  const [first, ...others] = warnings.toSorted((a, b) => rank(a) - rank(b))
  return (
    <aside className="banner" aria-label="Warnings">
      {isLost && (
        <p className="lost">
          <Icon name="cloud" />
          {trouble ?? 'No response yet.'} Last updated {formatAgo(at, clock)}.
        </p>
      )}
      {first && (
        <details>
          <summary data-severity={first.severity}>
            <Icon name="warning" />
            <span>{first.text}</span>
            {others.length > 0 && <b>+{others.length}</b>}
          </summary>
          <Action action={first.action} />
          {others.map(({ id, severity, text, action }) => (
            <Fragment key={id}>
              <p data-severity={severity}>
                <Icon name="warning" />
                {text}
              </p>
              <Action action={action} />
            </Fragment>
          ))}
        </details>
      )}
    </aside>
  )
}

/** Ranks errors first, then warnings with an action. */
const rank = ({ severity, action }: DeskWarning) => (severity === 'error' ? 0 : action ? 1 : 2)

function Action({ action }: Pick<DeskWarning, 'action'>) {
  if (!action) return null
  if (action.kind === 'retry-all')
    return (
      <button type="button" className="link" onClick={() => retryAll().then(refresh)}>
        {action.label}
      </button>
    )
  return (
    <a className="link" href={action.route}>
      {action.label}
    </a>
  )
}

const retryAll = () =>
  attempt(request<{ retried: number }>('POST', '/api/retry', { needsData: true }), ({ retried }) =>
    retried === 0
      ? 'There are no pending messages.'
      : `Sending ${count(retried, 'pending message')} now.`,
  )
