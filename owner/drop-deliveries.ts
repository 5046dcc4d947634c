import { countWaiting } from '#leads/store/reading.ts'
import { dropDeliveries } from '#leads/store/receivers.ts'
import { describeChannel, isGone } from './describe-channel.ts'
import { type Command, type Deps, Failure } from './leads-command.ts'
import { makeSafeJson } from './terminal.ts'

export async function dropForReceiver({ json, target }: Command, deps: Deps): Promise<number> {
  const { db, stdout, now } = deps
  const waits = (await countWaiting(db)).some(({ channel }) => channel === target)
  if (!waits) throw new Failure(`Nothing waits for "${target}". npm run leads shows what does.`)
  if (!isGone(target, deps))
    throw new Failure(
      `Nothing was dropped: ${describeChannel(target, deps)} may still get what waits for it.`,
    )
  const dropped = await dropDeliveries(db, target, now())
  stdout(
    json
      ? `${makeSafeJson({ dropped })}\n`
      : `${dropped} ${dropped === 1 ? 'alert is' : 'alerts are'} dropped. The leads stay.\n`,
  )
  return 0
}
