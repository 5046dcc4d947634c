/** One line of the doctor's screen: how it stands and, unless all is well, what to do next. */
export type Check = { about: string; state: State; says: string; next?: string }
export type State = 'ok' | 'to do' | 'cannot tell'

export const ok = (about: string, says: string): Check => ({ about, state: 'ok', says })

export const toDo = (about: string, says: string, next: string): Check => ({
  about,
  state: 'to do',
  says,
  next,
})

/** For what depends on something that is still to do, and for what only a person can see. */
export const cannotTell = (about: string, says: string, next?: string): Check => ({
  about,
  state: 'cannot tell',
  says,
  ...(next !== undefined && { next }),
})

/** The code of a failed call, such as ENOTFOUND. Messages may quote passwords and addresses. */
export function findErrorCode(error: unknown): string {
  const { code, cause, errors, name } = error as {
    code?: unknown
    cause?: unknown
    errors?: unknown[]
    name?: unknown
  }
  if (typeof code === 'string') return code
  if (Array.isArray(errors) && errors.length > 0) return findErrorCode(errors[0])
  if (cause !== undefined) return findErrorCode(cause)
  return typeof name === 'string' ? name : 'unknown error'
}

export const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`
