import { HTTPException } from 'hono/http-exception'
import * as v from 'valibot'
import { formatClock } from '../clock.ts'
import { nameError } from '../log.ts'
import {
  findNewest,
  findPublished,
  listPublished,
  type PageVersion,
  publishAgain,
  publishDraft,
  saveDraft,
} from '../store/page-versions.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskHooks,
  type DeskRequest,
  logAction,
  type PageEditor,
  readBody,
  refuse,
} from './routes.ts'

/** The only request that may be longer than a few kB. */
export const draftPath = '/api/page/draft'
/** Longer than the longest page, so that the form can name the text that is too long. */
export const maxDraftBytes = 512_000

const shownVersions = 20
/** The page before anything was published. */
const original = { number: 0, person: null, publishedAt: null, content: undefined }

/** The response of GET /api/page. */
export type PageScreen =
  | { isHere: false; message: string }
  | ({ isHere: true } & Awaited<ReturnType<typeof describePage>>)

/** One entry of GET /api/page/versions. The original has no person. */
export type Version = Pick<PageVersion, 'number' | 'publishedAt'> & {
  person: string | null
  changes: ReturnType<PageEditor['listChanges']>
}

/** Routes for the Page screen: the draft, its preview, publishing, and earlier versions. */
export function addPageRoutes(app: DeskApp, context: DeskContext, hooks: DeskHooks): void {
  const { db, now, log, env } = context
  const sign = ({ var: { session } }: DeskRequest) => ({
    person: session.person,
    email: session.email,
    now: now(),
  })

  /** `failure` explains any error except a bad request. */
  const withPage =
    (failure: string, answer: (c: DeskRequest, page: PageEditor) => Promise<Response>) =>
    async (c: DeskRequest) => {
      if (!hooks.page) return refuse(c, 404, elsewhere)
      try {
        return await answer(c, hooks.page)
      } catch (error) {
        if (error instanceof HTTPException) throw error
        log.error({ error: nameError(error) }, 'the page editor failed')
        return refuse(c, 503, failure)
      }
    }

  function refuseChanged(c: DeskRequest, { person, email, savedAt, publishedAt }: PageVersion) {
    const isMine = email === c.var.session.email
    const who = isMine ? 'You have' : `${person} has`
    const what = publishedAt === null ? 'changed' : 'published'
    const where = isMine ? ' in another tab or on another device' : ''
    const time = formatClock(publishedAt ?? savedAt, { now: now(), timeZone: env.timeZone })
    const next = 'Load the newer version, or keep yours.'
    const message = `${who} ${what} the page${where} (${time}). Your latest changes aren’t saved. ${next}`
    return refuse(c, 409, message, 'page-changed')
  }

  app.get('/api/page', async (c) => {
    if (!hooks.page) return c.json({ isHere: false, message: elsewhere } satisfies PageScreen)
    const state = await describePage(context, hooks.page, c.var.session.email)
    return c.json({ isHere: true, ...state } satisfies PageScreen)
  })
  app.put(
    draftPath,
    withPage(notSaved, async (c, page) => {
      const { base, draft } = await readBody(c, draftSchema, unreadable)
      const saved = await saveDraft(db, { ...sign(c), base, content: page.tidy(draft) })
      if ('newest' in saved) return refuseChanged(c, saved.newest)
      const state = await describePage(context, page, c.var.session.email)
      const { sections, draft: _, ...changed } = state
      return c.json(changed)
    }),
  )
  app.get(
    '/api/page/preview',
    withPage(noPreview, async (c, page) => {
      const newest = await findNewest(db)
      return c.html(await page.preview(page.tidy(newest?.content)), 200, {
        'Content-Security-Policy': previewPolicy,
        'Referrer-Policy': 'no-referrer',
      })
    }),
  )
  app.get(
    '/api/page/versions',
    withPage(noVersions, async (c, page) => {
      const all = [...(await listPublished(db, shownVersions)), original]
      const drafts = all.map(({ content }) => page.tidy(content))
      const versions: Version[] = all.map(({ number, person, publishedAt }, at) => ({
        number,
        person,
        publishedAt,
        changes: drafts[at + 1] ? page.listChanges(drafts[at + 1] ?? {}, drafts[at] ?? {}) : [],
      }))
      return c.json({ versions })
    }),
  )
  app.post(
    '/api/page/publish',
    withPage(notPublished, async (c, page) => {
      const { number: base } = await readBody(c, numberSchema, unreadable)
      const newest = await findNewest(db)
      if (!newest) return refuse(c, 400, unchanged)
      if (newest.number !== base) return refuseChanged(c, newest)
      // The response to the first request may have been lost.
      if (newest.publishedAt !== null) return c.json({ number: base, changes: [] })
      return publish(c, page, newest, (content) => publishDraft(db, { ...sign(c), base, content }))
    }),
  )
  app.post(
    '/api/page/undo',
    withPage(notPublished, async (c, page) => {
      const { number, base } = await readBody(c, undoSchema, unreadable)
      const all = [...(await listPublished(db, shownVersions)), original]
      const older = all.find((version) => version.number === number)
      if (!older) return refuse(c, 404, 'This version is no longer available.')
      return publish(
        c,
        page,
        older,
        (content) => publishAgain(db, { ...sign(c), base, content }),
        'published an older version of the page',
      )
    }),
  )

  /** Renders, then stores, then shows. If a step fails, visitors still get the last page. */
  async function publish(
    c: DeskRequest,
    page: PageEditor,
    { content }: Pick<PageVersion, 'content'>,
    store: (content: object) => ReturnType<typeof publishDraft>,
    action: Parameters<typeof logAction>[2] = 'published the page',
  ): Promise<Response> {
    const draft = page.tidy(content)
    const { mistakes } = page.check(draft)
    if (mistakes.length > 0) return c.json({ error: { message: hasMistakes }, mistakes }, 400)
    const changes = page.listChanges(page.tidy((await findPublished(db))?.content), draft)
    if (changes.length === 0) return refuse(c, 400, unchanged)
    const prepared = await page.prepare(draft)
    const stored = await store(prepared.draft)
    if ('newest' in stored) return refuseChanged(c, stored.newest)
    prepared.show(stored.number)
    // The warnings on the desk may have been about the page.
    hooks.wake()
    await logAction(context, c, action).catch((error) =>
      log.error({ error: nameError(error) }, 'cannot store who published the page'),
    )
    return c.json({ number: stored.number, changes })
  }
}

async function describePage({ db, env }: DeskContext, page: PageEditor, email: string) {
  const newest = await findNewest(db)
  const published = newest?.publishedAt === null ? await findPublished(db) : newest
  const draft = page.tidy(newest?.content)
  const { mistakes, warnings } = page.check(draft)
  const describe = ({ number, person, ...version }: PageVersion, at: number | null) => ({
    number,
    person,
    at,
    isMine: version.email === email,
  })
  return {
    sections: page.sections,
    draft,
    /** The base of the next save. */
    number: newest?.number ?? 0,
    saved: newest?.publishedAt === null ? describe(newest, newest.savedAt) : null,
    published: published ? describe(published, published.publishedAt) : null,
    changes: page.listChanges(page.tidy(published?.content), draft),
    pageUrl: env.publicUrl,
    samples: page.listSamples(draft),
    mistakes,
    warnings: mistakes.length > 0 ? warnings : [...warnings, ...(await page.checkWeight(draft))],
  }
}

const elsewhere =
  'This site’s page is built from a file, so you can’t change it here. Ask the person who set up this site to change it.'
const unreadable = 'Something went wrong. Reload the page and try again.'
const unchanged = 'Nothing has changed, so there’s nothing to publish.'
const hasMistakes = 'Fix the marked entries first. Nothing was published.'
const notSaved =
  'The server can’t store anything right now. Keep this page open, and the desk will keep trying.'
const notPublished =
  'Nothing was published, because something went wrong on the server. Visitors still see the previous version. Try again.'
const noPreview = 'The preview doesn’t work right now. Try again.'
const noVersions = 'The older versions can’t be loaded right now. Try again.'

const previewPolicy = [
  "default-src 'none'",
  "img-src 'self'",
  "font-src 'self'",
  // The page's own styles are inline, and no script can add others.
  "style-src 'unsafe-inline'",
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
