import type { ReactNode } from 'react'
import type { Countdown, Mood } from './countdown.ts'

const diamond = 'M24 4.5 43.5 24 24 43.5 4.5 24Z'
const octagon = 'M15.3 3h17.4L45 15.3v17.4L32.7 45H15.3L3 32.7V15.3Z'

/** Uses a shape for each state, as road signs do, for people who cannot see the colors. */
export function CountdownIcon({ mood, shareLeft, minutesLeft }: Countdown) {
  const draining = { pathLength: 1, strokeDasharray: `${shareLeft} 1` }
  const circle = { cx: 24, cy: 24, r: 20, transform: 'rotate(-90 24 24)' }
  const shapes: Record<Mood, ReactNode> = {
    waiting: (
      <>
        <circle className="clock-track" {...circle} />
        <path d="M24 12v12l8 5" />
      </>
    ),
    calm: (
      <>
        <circle className="clock-track" {...circle} />
        <circle {...circle} {...draining} />
      </>
    ),
    soon: (
      <>
        <path className="clock-track" d={diamond} />
        <path d={diamond} {...draining} />
      </>
    ),
    urgent: (
      <>
        <path className="clock-sign" d="M24 6 45 42H3Z" />
        <path className="clock-mark" d="M24 18v11m0 6v.01" />
      </>
    ),
    late: (
      <>
        <path className="clock-sign" d={octagon} />
        <path className="clock-mark" d="M24 13v14m0 7v.01" />
      </>
    ),
    answered: (
      <>
        <circle className="clock-track" {...circle} />
        <path d="m16 25 6 6 10.5-12" />
      </>
    ),
    done: <path d="m12 25 8.5 8.5L37 16" />,
    'not-a-lead': <path d="m15 15 18 18M33 15 15 33" />,
    suspect: <path d="M18 18a6 6 0 1 1 8.5 5.5c-1.8.9-2.5 2-2.5 4M24 35v.01" />,
  }
  return (
    <svg className="clock" viewBox="0 0 48 48" aria-hidden="true">
      {shapes[mood]}
      {minutesLeft > 0 && mood !== 'urgent' && (
        <text x="24" y="25" textAnchor="middle" dominantBaseline="central">
          {minutesLeft}
        </text>
      )}
    </svg>
  )
}
