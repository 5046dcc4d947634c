import { useEffect, useLayoutEffect, useState } from 'react'
import { count } from '#leads/words.ts'
import type { EditorSection } from '#site/schema/editor.ts'
import { Heading, Icon } from '../elements.tsx'
import { useKeptFocus } from '../kept-focus.ts'
import { formatRoute, readScroll } from '../route.ts'
import { useSignal } from '../signal.ts'
import { createDraftStore, type DraftStore, type PageData } from './draft-store.ts'
import { isInSection } from './draft-tree.ts'
import { Field } from './field.tsx'
import { type Form, Notes, SampleMark } from './form.tsx'
import { Preview } from './preview.tsx'
import { NoteLinks, PublishBar } from './publish-bar.tsx'
import { Versions } from './versions.tsx'

/** The screen on which the owner edits the page. `sectionId` is empty for the list of sections. */
export function PageScreen({
  sectionId,
  email,
  timeZone,
}: {
  sectionId: string
  email: string
  timeZone: string
}) {
  const [store] = useState(() => createDraftStore(email))
  const state = useSignal(store.signal, store.read)
  useEffect(() => {
    store.start()
    const wake = () => {
      if (!document.hidden) void store.refresh()
    }
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    return () => {
      store.stop()
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
    }
  }, [store])
  useKeptFocus()
  const { page, trouble } = state
  if (!page?.isHere)
    return (
      <>
        <Heading>Page</Heading>
        <p role="status">{page?.message ?? trouble ?? 'Loading…'}</p>
      </>
    )
  const section = page.sections.find(({ id }) => id === sectionId)
  const { draft } = state
  const form = { ...page, draft, timeZone, change: store.change }
  return (
    <div className="page-editor">
      <div className="page-form">
        {section ? (
          <Section key={section.id} section={section} form={form} />
        ) : (
          <Sections page={page} store={store} />
        )}
      </div>
      <Preview number={page.number} anchor={anchors[section?.id ?? ''] ?? ''} />
      <PublishBar page={page} state={state} store={store} />
    </div>
  )
}

/** The ID of the element that shows each section. Sections that are not listed are at the top of the page. */
const anchors: Record<string, string> = {
  consent: 'estimate',
  about: 'about',
  emergency: 'emergency',
  services: 'services',
  testimonials: 'testimonials',
  footer: 'quick-links',
}

function Sections({ page, store }: { page: PageData; store: DraftStore }) {
  // Newer browsers return a promise, which React would treat as a cleanup function.
  useLayoutEffect(() => void scrollTo(0, readScroll(formatRoute({ screen: 'page' }))), [])
  const { sections, samples, mistakes, warnings } = page
  const elsewhere = [...mistakes, ...warnings].filter(
    ({ path = '' }) => !sections.some((section) => isInSection(section, path)),
  )
  return (
    <>
      <Heading>Page</Heading>
      <p className="quiet">
        Choose a section to edit it. Visitors see your changes after you publish.
      </p>
      {samples.length > 0 && (
        <p className="sample">
          <b>{count(samples.length, 'sample', 'samples')} to replace or delete.</b>
        </p>
      )}
      {elsewhere.length > 0 && (
        <div className="doubt small">
          <NoteLinks notes={elsewhere} page={page} />
        </div>
      )}
      <ul className="parts card">
        {sections.map((section) => {
          const isHere = ({ path = '' }: { path?: string }) => isInSection(section, path)
          const isWrong = mistakes.some(isHere)
          return (
            <li key={section.id}>
              <a href={formatRoute({ screen: 'page', query: section.id })} className="part">
                {section.title}
                {samples.some((path) => isHere({ path })) && <b className="tag">Sample</b>}
                {isWrong && (
                  <b className="tag" data-alarm>
                    Fix
                  </b>
                )}
                {!isWrong && warnings.some(isHere) && <b className="tag">Check</b>}
                <Icon name="next" />
              </a>
            </li>
          )
        })}
      </ul>
      <p className="quiet small">
        Only the person who set up this site can change the company’s name, the time zone, the
        form’s labels and messages, icons, colors, pictures, and the text on the preview image for
        shared links. They’re in the site’s files.
      </p>
      <Versions store={store} newest={page.published?.number ?? 0} />
    </>
  )
}

function Section({ section, form }: { section: EditorSection; form: Form }) {
  const { id, title, hint, sample, fields } = section
  useLayoutEffect(() => void scrollTo(0, 0), [])
  const samples = fields.filter(({ path, isMarked }) => !isMarked && form.samples.includes(path))
  const names = new Intl.ListFormat('en').format(samples.map(({ label }) => label))
  const verb = samples.every(({ optional }) => optional) ? 'replace or delete' : 'replace'
  return (
    <>
      <a className="back" href={formatRoute({ screen: 'page' })}>
        <Icon name="back" />
        Page
      </a>
      <Heading>{title}</Heading>
      <p className="quiet">{hint}</p>
      {sample && names && <SampleMark form={form} path={sample} task={`${verb} ${names}`} />}
      <Notes form={form} path={id} />
      {fields.map((field) => (
        <Field key={field.path} field={field} path={field.path} form={form} />
      ))}
    </>
  )
}
