import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { formatDay } from '#leads/clock.ts'
import type { PageEditor } from '#leads/desk/routes.ts'
import { createFaultLog, type Log, nameError } from '#leads/log.ts'
import { findPublished, readPublishedNumber } from '#leads/store/page-versions.ts'
import { recordConsentVersion } from '#leads/store/stored-settings.ts'
import type { Database } from '#leads/store/tables.ts'
import { systemTimers, type Timers } from '#leads/timers.ts'
import type { Build } from '#site/render/build.ts'
import { listChanges } from '#site/schema/changes.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { check, complete, listSamples, pickEditable } from '#site/schema/draft.ts'
import { editorSections } from '#site/schema/editor.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { type createStaticSite, weigh } from './static-site.ts'

// Every process shows a new version within 5 s.
const pollMs = 2_000

// The first round trip carries ten packets of 1,460 bytes.
const maxPageBytes = 14_600

export type Publisher = ReturnType<typeof createPublisher>

/**
 * Shows the newest published version of the page, or site/content.ts if there is none. Pages are rendered when
 * someone publishes, never when a visitor asks.
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
  /** site/content.ts, from which the pages in `siteDir` were built. */
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

  const tidy = (stored: unknown) => pickEditable(complete(stored, file) as Content)

  const examine = (draft: unknown) => check(complete(draft, file), now())

  async function prepare(draft: unknown, before = shown) {
    const content = await setConsentVersion(complete(draft, file) as Content)
    const render = await loadRenderer()
    const pages = await site.prepare(render(content))
    return {
      draft: pickEditable(content),
      show(number: number): void {
        // A newer version may have been shown in the meantime.
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

  /** Shows the newest published version. If that fails, the last good page stays. */
  async function refresh(): Promise<void> {
    const before = shown
    const number = await readPublishedNumber(db)
    if (number === seenNumber) return
    // After a restore or failover, the newest version may be an older one.
    const published = await findPublished(db)
    if (!published) return showFile()
    const { mistakes } = examine(published.content)
    if (mistakes.length > 0) {
      fault = mistakes.map(({ message }) => message).join(' ')
      log.error({ number: published.number, fault }, 'cannot show the published page')
      // A retry would fail, too.
      seenNumber = published.number
      return
    }
    const { show } = await prepare(published.content, before).catch((error) => {
      fault = nameError(error)
      throw error
    })
    show(published.number)
    log.info({ number: published.number }, 'shows a new version of the page')
  }

  function showFile(): void {
    site.show()
    shown = { number: 0, content: file }
    seenNumber = 0
    fault = undefined
  }

  const poll = async () => {
    try {
      // Load the renderer at the start: a later build would name files that this process does not serve.
      await loadRenderer()
      await refresh()
      faults.clear('page', 'can read and show the published page again')
    } catch (error) {
      const fields = { error: nameError(error) }
      faults.report('page', fields, 'cannot read or show the published page')
    }
    if (!isStopped) cancelPoll = timers.start(pollMs, poll)
  }

  const editor: PageEditor = {
    sections: editorSections,
    tidy,
    check: examine,
    async checkWeight(draft) {
      const render = await loadRenderer()
      const bytes = await weigh(render(complete(draft, file) as Content))
      return bytes > maxPageBytes ? [explainLength(bytes)] : []
    },
    listSamples: (draft) => listSamples(complete(draft, file), file),
    listChanges,
    async preview(draft) {
      try {
        const { index } = (await loadRenderer())(complete(draft, file) as Content)
        return index.replace('<head>', `<head>${inertLinks}`)
      } catch {
        return noPreview
      }
    },
    prepare,
  }

  return {
    editor,
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

/** A link would load the desk or another site into the frame. The sandbox blocks new windows. */
const inertLinks = '<base target="_blank"><style>a{pointer-events:none}</style>'

const noPreview =
  '<!doctype html><title>Preview</title><p>The preview appears once you fix the marked entries.</p>'

/** After compression, a character of English text takes about 0.4 bytes. */
function explainLength(bytes: number) {
  const characters = Math.ceil((bytes - maxPageBytes) / 0.4 / 100) * 100
  const message = `The page is about ${characters.toLocaleString('en')} characters too long. It works, but it appears a moment later on phones with a slow connection. Delete some reviews, or shorten long texts.`
  return { message }
}

/** Runs the work at the first call. After an error, the next call tries again. */
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
