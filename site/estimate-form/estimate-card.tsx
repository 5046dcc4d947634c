import { renderToString } from 'react-dom/server'
import { fieldNames, leadFields } from '#leads/fields.ts'
import { fill } from '#leads/fill.ts'
import { isLimited, type PageProps } from '../render/build.ts'
import { formatCallHref } from '../sections/call-href.ts'
import { CheckMark } from '../sections/icons.tsx'
import { breakLine, EstimateForm } from './estimate-form.tsx'
import { pickFormContent } from './form-content.ts'

/** The card with the form. It shows the outcome of a request above the form. */
export function EstimateCard({ content, build }: PageProps) {
  const { company, form } = content
  const formContent = pickFormContent(content, build)
  const { received } = form
  const phoneLink = <a href={formatCallHref(company.phone)}>{company.phone}</a>
  const next = (
    <p>
      {breakLine(received.next)} {phoneLink}
    </p>
  )
  return (
    <div className="estimate-card">
      {/* The page shows one of these after a success, or after the browser has posted the form without React. */}
      <div id="estimate-outcomes" role="status">
        <div id="estimate-received" className="outcome received">
          <CheckMark size={40} />
          <h2>{received.heading}</h2>
          <p data-call-by={received.callBy}>{received.callSoon}</p>
          {next}
        </div>
        {isLimited(content) && (
          <div id="estimate-received-closed" className="outcome received">
            <CheckMark size={40} />
            <h2>{received.heading}</h2>
            <p data-open={received.callAfterOpening} data-closed={received.callBy}>
              {received.callAfterOpening}
            </p>
            {next}
          </div>
        )}
        <p id="estimate-incomplete" className="outcome">
          {form.toasts.incomplete}. {form.notes.incompletePlain}
        </p>
        <p id="estimate-failed" className="outcome">
          {form.toasts.failed} {form.notes.failedPlain} {phoneLink}
        </p>
        {fieldNames.map((field) => (
          <p key={field} id={`estimate-${field}`} className="outcome">
            {fill(form.notes.refusedPlain, { field: leadFields[field].noun })} {phoneLink}
          </p>
        ))}
      </div>
      {/* React hydrates only the form. */}
      <div
        id="estimate"
        data-code={build.formCode}
        data-content={JSON.stringify(formContent)}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: React rendered this markup for hydration
        dangerouslySetInnerHTML={{ __html: renderToString(<EstimateForm content={formContent} />) }}
      />
    </div>
  )
}

/** The inline script shows these before React is ready. They look like toasts. */
export const EstimateNotices = ({ content: { company, form } }: PageProps) => (
  <div id="estimate-notices" role="status">
    <p hidden>{form.toasts.incomplete}</p>
    <p hidden>
      {form.notes.offline} <a href={formatCallHref(company.phone)}>{company.phone}</a>
    </p>
  </div>
)
