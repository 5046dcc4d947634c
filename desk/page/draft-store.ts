import type { PageData, PageResponse } from '#server/page-routes.ts'
import { readEntry, writeEntry } from '#site/schema/entry-path.ts'
import { isRefused, Refused, request, retryMs } from '../api.ts'
import { createSignal } from '../signal.ts'
import { createStored } from '../stored.ts'

type Saved = Omit<PageData, 'isHere' | 'sections' | 'draft'>

export type State = {
  page: PageResponse | undefined
  /** The draft in the form. It may be newer than `page`. */
  draft: object
  save: 'saved' | 'pending' | 'failed' | 'conflict'
  /** Why the page could not be loaded or the draft could not be saved. */
  trouble: string | undefined
  /** The message after publishing from this tab, and what Undo needs. The next change clears it. */
  done: { text: string; undo?: { number: number; bringsReviews: boolean } } | undefined
}

export type DraftStore = ReturnType<typeof createDraftStore>

const debounceMs = 500

/**
 * Holds the draft while the owner types, and saves it. The browser stores it until the server has it, so nothing is
 * lost if the page is reloaded, the connection is lost, or the session ends.
 */
export function createDraftStore(email: string) {
  const signal = createSignal()
  let state: State = {
    page: undefined,
    draft: {},
    save: 'saved',
    trouble: undefined,
    done: undefined,
  }
  /** The number of the version that the draft is based on. */
  let base = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> | undefined
  let isStopped = false
  // Store each person's draft separately, because several people may use one device.
  const unsaved = createStored<{ base: number; draft: object }>(`unsaved page ${email}`)
  const set = (changes: Partial<State>) => {
    state = { ...state, ...changes }
    signal.notify()
  }
  const schedule = (work: () => Promise<void>, ms: number) => {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => void work(), ms)
  }

  async function load(): Promise<void> {
    const before = state.draft
    try {
      const page = await request<PageResponse>('GET', '/api/page')
      // The owner may have typed while the page was loading.
      if (state.draft !== before || state.save !== 'saved') return
      const kept = page.isHere ? unsaved.read() : undefined
      if (page.isHere) base = kept?.base ?? page.number
      const draft = kept?.draft ?? (page.isHere ? page.draft : {})
      set({ page, draft, save: kept ? 'pending' : 'saved', trouble: undefined })
      if (kept) await save()
    } catch (error) {
      set({ trouble: (error as Error).message })
      if (!isRefused(error)) schedule(load, retryMs)
    }
  }

  function save(): Promise<void> {
    clearTimeout(timer)
    saving ??= saveAll().finally(() => {
      saving = undefined
    })
    return saving
  }

  /** Saves until the server has the newest draft. */
  async function saveAll(): Promise<void> {
    while (state.save === 'pending' || state.save === 'failed') {
      const { draft } = state
      try {
        const body = { base, draft }
        const options = { body, needsData: true }
        const saved = await request<Saved>('PUT', '/api/page/draft', options)
        base = saved.number
        const page = state.page?.isHere ? { ...state.page, ...saved } : state.page
        const isNewest = state.draft === draft
        if (isNewest) unsaved.clear()
        else unsaved.write({ base, draft: state.draft })
        set({ page, save: isNewest ? 'saved' : 'pending', trouble: undefined })
      } catch (error) {
        const isConflict = error instanceof Refused && error.code === 'page-changed'
        set({ save: isConflict ? 'conflict' : 'failed', trouble: (error as Error).message })
        if (!isConflict && !isRefused(error)) schedule(save, retryMs)
        return
      }
    }
  }

  async function publish(path: string, describe: () => object, done: State['done']): Promise<void> {
    await save()
    try {
      await request('POST', path, { body: describe() })
      // Load the page again, because the draft may have a new number.
      await load()
      set({ done })
    } catch (error) {
      const isConflict = error instanceof Refused && error.code === 'page-changed'
      if (isConflict) set({ save: 'conflict', trouble: (error as Error).message })
      throw error
    }
  }

  return {
    signal,
    read: () => state,
    start(): void {
      isStopped = false
      void load()
    },
    /** Saves unsaved changes. If there are none, loads what other people changed. */
    refresh: () => (state.page && state.save !== 'saved' ? save() : load()),
    save,
    change(path: string, next: (before: unknown) => unknown): void {
      const draft = writeEntry(state.draft, path, next(readEntry(state.draft, path))) as object
      unsaved.write({ base, draft })
      const hasConflict = state.save === 'conflict'
      set({ draft, save: hasConflict ? 'conflict' : 'pending', done: undefined })
      if (!hasConflict) schedule(save, debounceMs)
    },
    /** After a conflict, discards this draft and loads the newer version. */
    async takeTheirs(): Promise<void> {
      unsaved.clear()
      set({ save: 'saved', trouble: undefined })
      await load()
    },
    /** After a conflict, saves this draft over the newer version. */
    async keepMine(): Promise<void> {
      const page = await request<PageResponse>('GET', '/api/page')
      if (!page.isHere) return
      base = page.number
      set({ page, save: 'pending', trouble: undefined })
      await save()
    },
    publish: () => {
      const page = state.page?.isHere ? state.page : undefined
      const countReviews = (samples: readonly string[] = []) =>
        samples.filter((path) => path.startsWith('testimonials.')).length
      const undo = {
        number: page?.published?.number ?? 0,
        bringsReviews: countReviews(page?.publishedSamples) > countReviews(page?.samples),
      }
      const text = 'Published. Visitors see it now.'
      return publish('/api/page/publish', () => ({ number: base }), { text, undo })
    },
    publishAgain: (number: number, text: string) =>
      publish('/api/page/undo', () => ({ number, base }), { text }),
    /** Tries once to save pending changes, and stops retrying. */
    stop(): void {
      isStopped = true
      clearTimeout(timer)
      if (state.save === 'pending') void save()
    },
  }
}
