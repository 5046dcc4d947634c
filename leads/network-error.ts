/** Why a call to another server broke off. Messages of errors may quote an address: a code never does. */
export function explainBrokenCall(who: string, error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError' || name === 'AbortError') return `${who} did not answer in time.`
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return `${who} could not be reached, or its answer was cut off${code}.`
}
