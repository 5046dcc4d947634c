/** An error whose sentence is for a person: it is shown as it is, without its stack. */
export class UserError extends Error {
  override name = 'UserError'
}
