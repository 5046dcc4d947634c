import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { formatDay } from '#leads/clock.ts'
import { createFaultLog, type Log, nameError } from '#leads/log.ts'
import { readPublished, readPublishedNumber } from '#leads/store/page-versions.ts'
import { recordConsentVersion } from '#leads/store/stored-settings.ts'
import type { Database } from '#leads/store/tables.ts'
import { systemTimers, type Timers } from '#leads/timers.ts'
import type { Build } from '#site/render/build.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { findValid, mergeDraft, pickEditable } from '#site/schema/draft.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import type { createStaticSite } from './static-site.ts'

// Poll often enough that every process shows a new version within 5 s.
const pollMs = 2_000

export type Publisher = ReturnType<typeof createPublisher>

/**
 * Shows the newest published version of the page, or site/content.ts if there is none. Pages are rendered when a
 * version is published or loaded, never during a visitor's request.
 */
export function createPublisher({
  db,
  file,
  site,
  siteDir,
  now,
  log,
  timers = systemTimers,
}: {
  db: Database
  /** The content of site/content.ts, from which the pages in `siteDir` were built. */
  file: Content
  site: ReturnType<typeof createStaticSite>
  siteDir: string
  now: () => number
  log: Log
  timers?: Timers
}) {
  const faults = createFaultLog(log)
  let shown = { number: 0, content: file }
  let seenNumber = 0
  let fault: string | undefined
  let cancelPoll = () => {}
  let isStopped = false

  const loadRenderer = once(async () => {
    const folder = `${siteDir}-render`
    const { render }: typeof import('#site/render/render.tsx') = await import(
      pathToFileURL(join(folder, 'render.mjs')).href
    )
    const build: Build = JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8'))
    return (content: Content) => render(content, build)
  })

  const render = async (content: Content) => (await loadRenderer())(content)

  /** Renders a draft, which must have no mistakes. `show` replaces the page that visitors get. */
  async function prepare(draft: object | undefined, before = shown) {
    const content = await setConsentVersion(mergeDraft(draft, file) as Content)
    const pages = await site.prepare(await render(content))
    return {
      draft: pickEditable(content),
      show(number: number): void {
        // Do nothing if a newer version was shown in the meantime.
        if (number < shown.number && shown !== before) return
        site.show(pages)
        shown = { number, content }
        seenNumber = number
        fault = undefined
      },
    }
  }

  async function setConsentVersion(content: Content): Promise<Content> {
    const { consent } = content.form
    const version = await recordConsentVersion(db, {
      ...fillIn(content).form.consent,
      today: formatDay(now(), content.hours.timeZone),
    })
    return { ...content, form: { ...content.form, consent: { ...consent, version } } }
  }

  /** Shows the newest published version that follows the rules. If there is none, the last good page stays. */
  async function refresh(): Promise<void> {
    const before = shown
    const number = await readPublishedNumber(db)
    if (number === seenNumber) return
    // After a restore or failover, the newest version may be older than the one shown, or there may be none.
    if (number === 0) return showFile()
    const { version, fault: found } = await findValid(readPublished(db), file, now())
    if (version && version.number !== before.number) {
      const { show } = await prepare(version.content, before).catch((error) => {
        fault = nameError(error)
        throw error
      })
      show(version.number)
      log.info({ number: version.number }, 'shows a new version of the page')
    }
    fault = found
    if (fault) log.error({ number, fault }, 'cannot show the published page')
    // Do not try this version again, because it would fail again.
    seenNumber = number
  }

  function showFile(): void {
    site.show()
    shown = { number: 0, content: file }
    seenNumber = 0
    fault = undefined
  }

  const poll = async () => {
    try {
      // Load the renderer at startup: one from a later build would link to files that this process does not serve.
      await loadRenderer()
      await refresh()
      faults.clear('page', 'can read and show the published page again')
    } catch (error) {
      const fields = { error: nameError(error) }
      faults.report('page', fields, 'cannot read or show the published page')
    }
    if (!isStopped) cancelPoll = timers.start(pollMs, poll)
  }

  return {
    file,
    render,
    prepare,
    /** The number of the version that visitors see. 0 means the page from site/content.ts. */
    readShown: () => shown.number,
    /** The content that visitors see now. */
    content: (): Content => shown.content,
    /** Why visitors do not see the newest published version. */
    findFault: () => fault,
    /** Shows the newest version, and looks for new ones until `stop`. */
    start: poll,
    stop(): void {
      isStopped = true
      cancelPoll()
    },
  }
}

/** Runs the work on the first call. After an error, the next call tries again. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}
