// Which refusals are one lead's own: it backs off alone, and nobody is told of an outage. All others
// (address, key, pace, the server itself) would meet the next lead, too.

/** By HTTP status. */
export const isLeadRefused = (status: number): boolean => [400, 409, 413, 422].includes(status)

/** 4xx asks for patience, and a refused MAIL FROM is about ALERT_EMAIL_FROM. */
export const isMailRefused = (responseCode: unknown, command: unknown): boolean =>
  Number(responseCode) >= 500 && (command === 'RCPT TO' || command === 'DATA')

// A missing, a wrong and an unfit TWILIO_FROM: Twilio answers 400 to these, too.
const senderCodes: readonly unknown[] = [21603, 21212, 21606]

export const isTextRefused = (status: number, code: number | undefined): boolean =>
  isLeadRefused(status) && !senderCodes.includes(code)
