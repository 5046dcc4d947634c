import { useEffect, useLayoutEffect, useState } from 'react'
import { count } from '#leads/words.ts'
import type { PageData } from '#server/page-routes.ts'
import type { EditorSection } from '#site/schema/editor.ts'
import { Heading, Icon } from '../elements.tsx'
import { formatRoute, readScroll } from '../route.ts'
import { useSignal } from '../signal.ts'
import { createDraftStore } from './draft-store.ts'
import { FormField } from './field.tsx'
import { type Form, isInSection, Notes, SampleMark } from './form.tsx'
import { Preview } from './preview.tsx'
import { NoteLinks, PublishBar } from './publish-bar.tsx'
import { Versions } from './versions.tsx'

/** The screen on which the owner edits the page. `sectionId` is empty for the list of sections. */
export function PageScreen({ sectionId, email }: { sectionId: string; email: string }) {
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
  const { page, trouble } = state
  if (!page?.isHere)
    return (
      <>
        <Heading>Page</Heading>
        <p role="status">{page?.message ?? trouble ?? 'Loading…'}</p>
      </>
    )
  const isWide = matchMedia('(min-width: 80rem)').matches
  const shownId = sectionId || (isWide ? page.sections[0]?.id : '')
  const section = page.sections.find(({ id }) => id === shownId)
  const { draft } = state
  // The heading already shows the section's title.
  const mistakes = page.mistakes.map(({ message, ...mistake }) => ({
    ...mistake,
    message: message.replace(`${section?.title}: `, ''),
  }))
  const form = { ...page, mistakes, draft, change: store.change }
  return (
    <div className="page-editor" data-section={section?.id}>
      <div className="page-form">
        {section ? <Section key={section.id} section={section} form={form} /> : <Start />}
      </div>
      <div className="page-parts">
        <Parts page={page} shownId={section?.id} />
        {!sectionId && (
          <>
            <Versions store={store} newest={page.published?.number ?? 0} />
            <p className="quiet small">
              Only the person who set up this site can change the company’s name, the time zone, the
              form’s other wording, icons, colors, pictures, and the preview image for shared links.
            </p>
          </>
        )}
      </div>
      <Preview number={page.number} anchor={section?.anchor ?? ''} />
      <PublishBar page={page} state={state} store={store} />
    </div>
  )
}

function Start() {
  // In newer browsers, scrollTo returns a promise, which React would treat as a cleanup function.
  useLayoutEffect(() => void scrollTo(0, readScroll(formatRoute({ screen: 'page' }))), [])
  return (
    <>
      <Heading>Page</Heading>
      <p className="quiet">
        Choose a section to edit it. Visitors see your changes after you publish.
      </p>
    </>
  )
}

/** The list of sections. On a wide screen, it stays visible beside the open section. */
function Parts({ page, shownId }: { page: PageData; shownId: string | undefined }) {
  const { sections, samples, mistakes, warnings } = page
  const elsewhere = [...mistakes, ...warnings].filter(
    ({ path = '' }) => !sections.some((section) => isInSection(section, path)),
  )
  return (
    <>
      {samples.length > 0 && (
        <p className="sample">
          <b>{count(samples.length, 'sample')} to replace</b>
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
              <a
                href={formatRoute({ screen: 'page', query: section.id })}
                className="part"
                aria-current={section.id === shownId || undefined}
              >
                <span>{section.title}</span>
                {!isWrong && samples.some((path) => isHere({ path })) && (
                  <b className="tag">Sample</b>
                )}
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
    </>
  )
}

function Section({ section, form }: { section: EditorSection; form: Form }) {
  const { id, title, hint, sample, fields } = section
  useLayoutEffect(() => void scrollTo(0, 0), [])
  const samples = fields.filter(({ path, isMarked }) => !isMarked && form.samples.includes(path))
  const verb = samples.every(({ optional }) => optional) ? 'replace or delete' : 'replace'
  return (
    <>
      <a className="back" href={formatRoute({ screen: 'page' })}>
        <Icon name="back" />
        Page
      </a>
      <Heading>{title}</Heading>
      <p className="quiet">{hint}</p>
      {sample && samples.length > 0 && (
        <SampleMark form={form} path={sample} task={`${verb} each entry marked “Sample”`} />
      )}
      <Notes form={form} path={id} />
      {fields.map((field) => (
        <FormField
          key={field.path}
          field={field}
          path={field.path}
          form={form}
          isTitled={field.label === title}
        />
      ))}
    </>
  )
}
