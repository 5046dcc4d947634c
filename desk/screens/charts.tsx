import { type ReactNode, useId } from 'react'

export type Bar = { name: string; kept: number; missed: number; tick?: string | undefined }

const width = 320
const plotHeight = 96
const top = 14

/** Stacks requests called late or not yet (hatched) on top of those called on time. A table repeats the numbers. */
export function BarChart({
  title,
  label,
  nameOf,
  bars,
}: {
  title: string
  /** Describes the chart for screen readers. */
  label: string
  /** The heading of the table's first column, such as “Hour”. */
  nameOf: string
  bars: readonly Bar[]
}) {
  const hatch = useId()
  const most = Math.max(1, ...bars.map(({ kept, missed }) => kept + missed))
  const peak = bars.findIndex(({ kept, missed }) => kept + missed === most)
  const step = width / bars.length
  const barWidth = step * 0.72
  return (
    <section className="card">
      <h2>{title}</h2>
      <svg viewBox={`0 0 ${width} ${top + plotHeight + 18}`} role="img" aria-label={label}>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect className="ground" width="6" height="6" />
          <path className="hatch" d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
        </pattern>
        <path stroke="currentColor" opacity="0.3" d={`M0 ${top + plotHeight}h${width}`} />
        {bars.map(({ name, kept, missed, tick }, at) => {
          const x = at * step + (step - barWidth) / 2
          const keptHeight = (kept / most) * plotHeight
          const missedHeight = (missed / most) * plotHeight
          const ground = top + plotHeight
          const middle = at * step + step / 2
          return (
            <g key={name}>
              <rect
                className="kept"
                x={x}
                y={ground - keptHeight}
                width={barWidth}
                height={keptHeight}
              />
              <rect
                fill={`url(#${hatch})`}
                x={x}
                y={ground - keptHeight - missedHeight}
                width={barWidth}
                height={missedHeight}
              />
              {/* Narrow bars leave room for only the highest value. */}
              {(step > 20 || at === peak) && kept + missed > 0 && (
                <text x={middle} y={ground - keptHeight - missedHeight - 4}>
                  {kept + missed}
                </text>
              )}
              {tick && (
                <text x={middle} y={ground + 14}>
                  {tick}
                </text>
              )}
            </g>
          )
        })}
      </svg>
      <details>
        <summary>Show as a table</summary>
        <Table
          head={[nameOf, 'On time', 'Late or not called']}
          rows={bars.map(({ name, kept, missed }) => [name, kept, missed])}
        />
      </details>
    </section>
  )
}

export function Table({ head, rows }: { head: string[]; rows: ReactNode[][] }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {/* Use the position as the key, because two people may have the same name. */}
        {Object.entries(rows).map(([position, [name, ...cells]]) => (
          <tr key={position}>
            <th scope="row" dir="auto">
              {name}
            </th>
            {cells.map((cell, at) => (
              <td key={head[at + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
