import { isDeepStrictEqual } from 'node:util'
import type { HealthContext } from '#leads/health/check.ts'
import type { PageVersion } from '#leads/store/page-versions.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { check, complete, pickEditable } from '#site/schema/draft.ts'

type Shown = { content: Content } & Pick<HealthContext, 'pageFault' | 'pageDiffers'>

/** Returns what a server that starts now shows to visitors: the published page, if it is valid. */
export function findShownPage(
  file: Content,
  published: PageVersion | undefined,
  now: number,
): Shown {
  if (!published) return { content: file }
  const content = complete(published.content, file)
  const { mistakes } = check(content, now)
  if (mistakes.length > 0)
    return { content: file, pageFault: mistakes.map(({ message }) => message).join(' ') }
  const pageDiffers = !isDeepStrictEqual(pickEditable(content as Content), pickEditable(file))
  return { content: content as Content, pageDiffers }
}
