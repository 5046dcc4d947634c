import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UserError } from '#leads/user-error.ts'

/** About what was typed; without its period, for a hint may follow. */
export class UsageError extends UserError {}

export function parseTyped<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0])
  }
}
