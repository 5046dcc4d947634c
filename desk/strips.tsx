import { Icon } from './icons.tsx'
import type { Fresh } from './use-fresh.ts'
import { formatSpan } from './words.ts'

// Looked for every two seconds: this old, and the connection hangs.
const oldMs = 8_000

/** Silent when all is well. */
export function Strips({
  today,
  warnings,
  now,
}: {
  today: Fresh<unknown>
  warnings: readonly string[]
  now: number
}) {
  const ageMs = now - today.at
  const isLost = today.trouble !== undefined || ageMs > oldMs
  if (!isLost && warnings.length === 0) return null
  const list = (
    <ul>
      {warnings.map((warning) => (
        <li key={warning}>
          <Icon name="warning" />
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  )
  return (
    <aside className="strips" aria-label="What needs a look">
      {isLost && (
        <p className="lost">
          <Icon name="cloud" />
          <span>
            {today.trouble ?? 'No answer yet.'} What you see is {formatSpan(ageMs)} old.
          </span>
        </p>
      )}
      {warnings.length > 2 ? (
        <details>
          <summary>
            <Icon name="warning" />
            <span>{warnings.length} things need a look</span>
          </summary>
          {list}
        </details>
      ) : (
        list
      )}
    </aside>
  )
}
