import { HTTPException } from 'hono/http-exception'
import * as v from 'valibot'
import { formatClock } from '#leads/clock.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskRequest,
  draftPath,
  logAction,
  type PageElsewhere,
  readBody,
  refuse,
} from '#leads/desk/routes.ts'
import { nameError } from '#leads/log.ts'
import {
  findNewest,
  listPublished,
  type PageVersion,
  publishAgain,
  publishDraft,
  readPublished,
  savePageDraft,
} from '#leads/store/page-versions.ts'
import { maxPageBytes } from '#site/build/weigh.ts'
import { compareDrafts } from '#site/schema/changes.ts'
import type { Content } from '#site/schema/content-schema.ts'
import {
  checkDraft,
  findMisfit,
  findValid,
  listLongest,
  listSamples,
  mergeDraft,
  pickEditable,
} from '#site/schema/draft.ts'
import { editorSections } from '#site/schema/editor.ts'
import type { Publisher } from './publisher.ts'
import { weighPage } from './static-site.ts'

const shownVersions = 20
/** The page before anything was published. */
const original = { number: 0, person: null, at: null, content: {} }

/** The response of GET /api/page. */
export type PageResponse = PageElsewhere | PageData
export type PageData = { isHere: true } & Awaited<ReturnType<typeof describePage>>

/** One entry of GET /api/page/versions. */
export type Version = {
  number: number
  /** Null, like `at`, for the page before anything was published. */
  person: string | null
  at: number | null
  state: 'shown' | 'damaged' | undefined
  /** The entries that differ from the previous version, if both can be read. */
  changes: string[]
}

/** Adds the routes for the Page screen: the draft, its preview, publishing, and earlier versions. */
export const createPageRoutes =
  (publisher: Publisher) =>
  (app: DeskApp, context: DeskContext): void => {
    const { db, hours, now, log } = context
    const { file } = publisher
    const keepEditable = (stored: object | undefined) => pickEditable(merge(stored, file))
    const sign = ({ var: { session } }: DeskRequest) => ({
      person: session.person,
      email: session.email,
      now: now(),
    })

    /** `failure` explains any error except a bad request. */
    const explain =
      (failure: string, answer: (c: DeskRequest) => Promise<Response>) =>
      async (c: DeskRequest) => {
        try {
          return await answer(c)
        } catch (error) {
          if (error instanceof HTTPException) throw error
          log.error({ error: nameError(error) }, 'the page editor failed')
          return refuse(c, 503, failure)
        }
      }

    function refuseChanged(c: DeskRequest, { person, email, at, isDraft }: PageVersion) {
      const isMine = email === c.var.session.email
      const who = isMine ? 'You' : person
      const what = isDraft ? 'changed' : 'published'
      const where = isMine ? ' in another tab or on another device' : ''
      const time = formatClock(at, { now: now(), timeZone: hours().timeZone })
      const next = 'Load the newer version, or keep yours.'
      const message = `${who} ${what} the page${where} (${time}). Your latest changes aren’t saved. ${next}`
      return refuse(c, 409, message, 'page-changed')
    }

    app.get('/api/page', async (c) => {
      const state = await describePage(publisher, context, c.var.session.email)
      return c.json({ isHere: true, ...state } satisfies PageResponse)
    })
    app.put(
      draftPath,
      explain(notSaved, async (c) => {
        const { base, draft } = await readBody(c, draftSchema, unreadable)
        const misfit = findMisfit(draft)
        if (misfit) return refuse(c, 400, misfit.message)
        const saved = await savePageDraft(db, { ...sign(c), base, content: keepEditable(draft) })
        if ('newest' in saved) return refuseChanged(c, saved.newest)
        const state = await describePage(publisher, context, c.var.session.email)
        const { sections, draft: _, ...changed } = state
        return c.json(changed)
      }),
    )
    app.get('/api/page/preview', async (c) => {
      const { content } = await readPage(publisher, context)
      return c.html(await preview(content), 200, {
        'Content-Security-Policy': previewPolicy,
        'Referrer-Policy': 'no-referrer',
      })
    })
    app.get('/api/page/versions', async (c) => {
      // Read one more, to compare the last one that is listed with it.
      const all = [...(await listPublished(db, shownVersions + 1)), original]
      const shown = publisher.readShown()
      const drafts = all.map(({ content }) => content && keepEditable(content))
      const versions: Version[] = all.map(({ number, person, at }, place) => {
        const [before, after] = [drafts[place + 1], drafts[place]]
        const changes = before && after ? compareDrafts(before, after) : []
        const state = after ? (number === shown ? 'shown' : undefined) : 'damaged'
        return { number, person, at, state, changes: changes.map(({ label }) => label) }
      })
      return c.json({ versions: versions.toSpliced(shownVersions, all.length - 1 - shownVersions) })
    })
    app.post(
      '/api/page/publish',
      explain(notPublished, async (c) => {
        const { number: base } = await readBody(c, numberSchema, unreadable)
        const newest = await findNewest(db)
        if (!newest) return refuse(c, 400, unchanged)
        if (newest.number !== base) return refuseChanged(c, newest)
        // The draft is already published, so this repeats an earlier request, whose response may have been lost.
        if (!newest.isDraft) return c.json({ number: base, changes: [] })
        if (!newest.content) return refuse(c, 400, unchanged)
        return publish(c, newest.content, (content) =>
          publishDraft(db, { ...sign(c), base, content }),
        )
      }),
    )
    app.post(
      '/api/page/undo',
      explain(notPublished, async (c) => {
        const { number, base } = await readBody(c, undoSchema, unreadable)
        const all = [...(await listPublished(db, shownVersions)), original]
        const older = all.find((version) => version.number === number)
        if (!older) return refuse(c, 404, 'This version is no longer available.')
        if (!older.content) return refuse(c, 400, 'The text of this version is damaged.')
        return publish(
          c,
          older.content,
          (content) => publishAgain(db, { ...sign(c), base, content }),
          'published an older version of the page',
        )
      }),
    )

    /** Renders the page, stores it, and then shows it. If a step fails, visitors still get the previous page. */
    async function publish(
      c: DeskRequest,
      content: object,
      store: (content: object) => ReturnType<typeof publishDraft>,
      action: Parameters<typeof logAction>[2] = 'published the page',
    ): Promise<Response> {
      const draft = keepEditable(content)
      const { mistakes } = checkDraft(merge(draft, file), now())
      if (mistakes.length > 0) return c.json({ error: { message: hasMistakes }, mistakes }, 400)
      const { published, fault = publisher.findFault() } = await readPage(publisher, context)
      const changes = compareDrafts(keepEditable(published?.content), draft)
      // If the newest version cannot be shown, replace it even without changes.
      if (changes.length === 0 && fault === undefined) return refuse(c, 400, unchanged)
      const prepared = await publisher.prepare(draft)
      const stored = await store(prepared.draft)
      if ('newest' in stored) return refuseChanged(c, stored.newest)
      prepared.show(stored.number)
      // Read the desk's warnings again, because some may have been about the page.
      context.wake()
      if (!stored.isRepeat)
        await logAction(context, c, action).catch((error) =>
          log.error({ error: nameError(error) }, 'cannot store who published the page'),
        )
      return c.json({ number: stored.number, changes })
    }

    async function preview(content: object | undefined): Promise<string> {
      try {
        const { index } = await publisher.render(merge(content, file))
        return index.replace('<head>', `<head>${inertLinks}`)
      } catch {
        return nothingToPreview
      }
    }
  }

/** Merges a stored page with site/content.ts. Despite its type, the result may have mistakes. */
const merge = (stored: object | undefined, file: Content) => mergeDraft(stored, file) as Content

/**
 * `content` is what to edit, and `published` is what visitors see. `fault` explains why visitors do not see the newest
 * version.
 */
async function readPage({ file }: Publisher, { db, now }: DeskContext) {
  const newest = await findNewest(db)
  const { version: published, fault } = await findValid(readPublished(db), file, now())
  return { newest, published, fault, content: newest?.content ?? published?.content }
}

async function describePage(publisher: Publisher, context: DeskContext, email: string) {
  const { newest, published, content } = await readPage(publisher, context)
  const { file, render } = publisher
  const { env, now } = context
  const whole = merge(content, file)
  const draft = pickEditable(whole)
  const shown = merge(published?.content, file)
  const { mistakes, warnings } = checkDraft(whole, now())
  const describe = ({ number, person, at, ...version }: PageVersion) => ({
    number,
    person,
    at,
    isMine: version.email === email,
  })
  const isDamaged = newest?.isDraft === true && !newest.content
  return {
    sections: editorSections,
    draft,
    /** The number on which the next save is based. */
    number: newest?.number ?? 0,
    saved: newest?.isDraft && !isDamaged ? describe(newest) : null,
    published: published ? describe(published) : null,
    changes: compareDrafts(pickEditable(shown), draft),
    pageUrl: env.publicUrl,
    samples: listSamples(whole, file),
    publishedSamples: listSamples(shown, file),
    mistakes,
    warnings: [
      ...(isDamaged ? [{ message: damaged }] : []),
      ...warnings,
      ...(mistakes.length > 0 ? [] : explainWeight(await weighPage(await render(whole)), draft)),
    ],
  }
}

/** After compression, a character of English text takes about 0.4 bytes. */
function explainWeight(bytes: number, draft: object) {
  const characters = Math.ceil((bytes - maxPageBytes) / 0.4 / 100) * 100
  const message = `The page is about ${characters.toLocaleString('en')} characters too long. It works, but it appears a moment later on phones with a slow connection. Delete some reviews, or shorten long entries. The longest: ${listLongest(draft, 3).join(', ')}.`
  return bytes > maxPageBytes ? [{ message }] : []
}

/** Disable links, because one would load the desk or another site in the frame. The sandbox blocks new windows. */
const inertLinks = '<base target="_blank"><style>a{pointer-events:none}</style>'

const nothingToPreview =
  '<!doctype html><title>Preview</title><p>The preview appears once you fix the marked entries.</p>'

const unreadable = 'Something went wrong. Reload the page and try again.'
const unchanged = 'Nothing has changed, so there’s nothing to publish.'
const damaged =
  'The draft is damaged, so the form shows the page that visitors see. Your next change replaces the draft.'
const hasMistakes = 'Fix the marked entries first. Nothing was published.'
const notSaved =
  'The server can’t store anything right now. Keep this page open, and the desk will keep trying.'
const notPublished =
  'Nothing was published, because something went wrong on the server. Visitors still see the previous version. Try again.'

const previewPolicy = [
  "default-src 'none'",
  "img-src 'self'",
  "font-src 'self'",
  // Allow inline styles, which the page has. No script can add others.
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  // Without allow-same-origin, the frame could not load pictures and fonts.
  'sandbox allow-same-origin',
].join('; ')

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const numberSchema = v.object({ number })
const undoSchema = v.object({ number, base: number })
const draftSchema = v.object({ base: number, draft: v.looseObject({}) })
