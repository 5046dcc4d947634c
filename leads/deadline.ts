/** The page promises a call within this time. */
export const promiseMs = 10 * 60_000

export const findDeadline = (receivedAt: number): number => receivedAt + promiseMs

/** Reminders count their minutes from this time. */
export const findPromiseStart = (deadlineAt: number): number => deadlineAt - promiseMs
