import { type ParseArgsConfig, parseArgs } from 'node:util'
import { makeSafe } from '#leads/safe-text.ts'
import { UserError } from '#leads/user-error.ts'

/** A mistake on the command line. The message has no period, because a hint follows it. */
export class UsageError extends UserError {}

export function parseTyped<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0])
  }
}

/** Returns the message of an expected error, or the stack of a bug. */
export function explainError(error: unknown): string {
  const { message, stack = message, code } = error as NodeJS.ErrnoException
  const text = error instanceof UserError || code !== undefined ? message : stack
  return text.split('\n').map(makeSafe).join('\n')
}

/** JSON escapes control characters only up to U+001F, but terminals act on others, too. */
export const makeSafeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
