import type { Countdown, Mood } from './countdown.ts'

const dial = 'M24 4a20 20 0 0 1 0 40 20 20 0 0 1 0-40Z'
const diamond = 'M24 4.5 43.5 24 24 43.5 4.5 24Z'

type Shapes = {
  /** The outline. With `drains`, a stroke on top of it shows the share of time left. */
  track?: string
  drains?: boolean
  /** A filled shape. The mark on it is white, or dark in dark mode. */
  sign?: string
  mark?: string
}

const moodShapes: Record<Mood, Shapes> = {
  waiting: { track: dial, mark: 'M24 12v12l8 5' },
  calm: { track: dial, drains: true },
  soon: { track: diamond, drains: true },
  urgent: { sign: 'M24 6 45 42H3Z', mark: 'M24 18v11m0 6v.01' },
  late: {
    sign: 'M15.3 3h17.4L45 15.3v17.4L32.7 45H15.3L3 32.7V15.3Z',
    mark: 'M24 13v14m0 7v.01',
  },
  calling: {
    track: dial,
    mark: 'M17.5 14.5c-2 1-3 3-2 6a20 20 0 0 0 12 12c3 1 5 0 6-2l-5-4-2.5 2a12 12 0 0 1-6.5-6.500l2-2.500Z',
  },
  done: { mark: 'm12 25 8.5 8.5L37 16' },
  dropped: { mark: 'm15 15 18 18M33 15 15 33' },
  suspect: { mark: 'M18 18a6 6 0 1 1 8.5 5.5c-1.8.9-2.5 2-2.5 4M24 35v.01' },
}

/** Gives each state its own shape, like road signs, for people who cannot tell the colors apart. */
export function CountdownIcon({ mood, shareLeft, minutesLeft }: Countdown) {
  const { track, drains, sign, mark } = moodShapes[mood]
  return (
    <svg className="clock" viewBox="0 0 48 48" aria-hidden="true">
      {track && <path className="clock-track" d={track} />}
      {drains && <path d={track} pathLength={1} strokeDasharray={`${shareLeft} 1`} />}
      {sign && <path className="clock-sign" d={sign} />}
      {mark && <path className={sign && 'clock-mark'} d={mark} />}
      {minutesLeft > 0 && mood !== 'urgent' && (
        <text x="24" y="25" textAnchor="middle" dominantBaseline="central">
          {minutesLeft}
        </text>
      )}
    </svg>
  )
}
