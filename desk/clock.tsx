import type { Countdown } from './countdown.ts'

const diamond = 'M24 4.5 43.5 24 24 43.5 4.5 24Z'
const triangle = 'M24 6 45 42H3Z'
const octagon = 'M15.3 3h17.400L45 15.300v17.400L32.7 45H15.300L3 32.700V15.300Z'

/** Circle, diamond, triangle, octagon, as on the road: whoever sees no colors sees shapes. */
export function Clock({ mood, shareLeft, minutesLeft }: Countdown) {
  const draining = { pathLength: 1, strokeDasharray: `${shareLeft} 1` }
  const minutes = (
    <text className="clock-minutes" x="24" y="25" textAnchor="middle" dominantBaseline="central">
      {minutesLeft}
    </text>
  )
  const mark = <path className="clock-mark" d="M24 18v11m0 6v.01" />
  const shapes = {
    calm: (
      <>
        <circle className="clock-track" cx="24" cy="24" r="20" />
        <circle cx="24" cy="24" r="20" transform="rotate(-90 24 24)" {...draining} />
        {minutes}
      </>
    ),
    soon: (
      <>
        <path className="clock-track" d={diamond} />
        <path d={diamond} {...draining} />
        {minutes}
      </>
    ),
    urgent: (
      <>
        <path className="clock-sign" d={triangle} />
        {mark}
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
        <circle className="clock-seal" cx="24" cy="24" r="20" />
        <path d="m15 25 6.5 6.500L33.5 18" />
      </>
    ),
    done: <path d="m12 25 8.5 8.500L37 16" />,
    'not-a-lead': <path d="m15 15 18 18M33 15 15 33" />,
    suspect: <path d="M18 18a6 6 0 1 1 8.5 5.500c-1.8.9-2.5 2-2.5 4M24 35v.01" />,
  }
  return (
    <svg className="clock" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
      {shapes[mood]}
    </svg>
  )
}
