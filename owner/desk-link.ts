import { makeLink } from '#leads/desk/sign-in.ts'
import { UserError } from '#leads/user-error.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'

/** For whoever has the machine: the way in without a mail. */
export async function printDeskLink(_: Command, { db, desk, now }: Deps): Promise<Outcome> {
  if (!desk)
    throw new UserError(
      'The desk is not set up: DESK_URL in .env, such as https://desk.example.com.',
    )
  const link = await makeLink(db, { ...desk, now: now() })
  return {
    json: { link },
    text: `Open this within 15 minutes; it works once:\n${link}\n`,
  }
}
