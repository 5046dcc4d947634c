import { isDeepStrictEqual } from 'node:util'
import type { HealthContext } from '#leads/health/check.ts'
import type { PageVersion } from '#leads/store/page-versions.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { findValid, mergeDraft, pickEditable } from '#site/schema/draft.ts'

type Shown = { content: Content } & Pick<
  HealthContext,
  'pageFault' | 'pageDiffers' | 'damagedPages'
>

/** Returns what a server that starts now would show visitors, and what is wrong with the stored pages. */
export async function findShownPage(
  file: Content,
  pages: readonly PageVersion[],
  now: number,
): Promise<Shown> {
  const versions = pages.filter(({ isDraft }) => !isDraft)
  const { version, fault: pageFault } = await findValid(versions, file, now)
  const content = version ? (mergeDraft(version.content, file) as Content) : file
  const damaged = pages.filter((page) => page.content === undefined)
  return {
    content,
    pageFault,
    pageDiffers: !isDeepStrictEqual(pickEditable(content), pickEditable(file)),
    damagedPages: damaged.map(({ isDraft, number }) =>
      isDraft ? 'the draft' : `version ${number}`,
    ),
  }
}
