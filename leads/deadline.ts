/** A homeowner is promised a call within this time. */
export const promiseMs = 10 * 60_000

/** When the promised call is due. The server stores it with the lead. */
export const findDeadline = (receivedAt: number): number => receivedAt + promiseMs

/** When the time for the call starts; reminders count their minutes from here. */
export const findPromiseStart = (deadlineAt: number): number => deadlineAt - promiseMs
