import { Icon } from './icons.tsx'
import { type Fresh, useNow } from './use-fresh.ts'
import { formatSpan } from './words.ts'

// Looked for every two seconds: this old, and the connection hangs.
const oldMs = 8_000

/** Silent when all is well. */
export function Strips({
  today: { trouble, at },
  warnings,
}: {
  today: Fresh<unknown>
  warnings: readonly string[]
}) {
  const now = useNow()
  const isLost = trouble !== undefined || now - at > oldMs
  if (!isLost && warnings.length === 0) return null
  const sentences = warnings.map((warning) => (
    <p key={warning}>
      <Icon name="warning" />
      {warning}
    </p>
  ))
  return (
    <aside className="strips" aria-label="What needs a look">
      {isLost && (
        <p className="lost">
          <Icon name="cloud" />
          {trouble ?? 'No answer yet.'} What you see is {formatSpan(now - at)} old.
        </p>
      )}
      {warnings.length > 2 ? (
        <details>
          <summary>{warnings.length} things need a look</summary>
          {sentences}
        </details>
      ) : (
        sentences
      )}
    </aside>
  )
}
