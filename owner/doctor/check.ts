/** One line of the doctor's screen: how it is and, unless all is well, what to do next. */
export type Check = { state: 'ok' | 'to do' | 'cannot tell'; says: string; next?: string }

/** What a look has found: nothing, one thing or several. */
export type Finding = Check | false | undefined | readonly Finding[]

export const listChecks = (found: Finding): Check[] => {
  if (!found) return []
  return 'state' in found ? [found] : found.flatMap(listChecks)
}

export const ok = (says: string): Check => ({ state: 'ok', says })
export const toDo = (says: string, next: string): Check => ({ state: 'to do', says, next })

/** For what depends on something that is still to do, and for what only a person can see. */
export const cannotTell = (says: string, next: string): Check => ({
  state: 'cannot tell',
  says,
  next,
})

/** The code of a failed call, such as ENOTFOUND. Messages may quote passwords and addresses. */
export function findErrorCode(error: unknown): string {
  const { code, cause, errors, name } = error as NodeJS.ErrnoException & Partial<AggregateError>
  // A time-out's code is a number, which says nothing.
  if (typeof code === 'string') return code
  const inner = errors?.[0] ?? cause
  return inner ? findErrorCode(inner) : (name ?? 'unknown error')
}
