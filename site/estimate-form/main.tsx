import { hydrateRoot } from 'react-dom/client'
import suggestions from './address/suggestions.css?inline'
import { EstimateForm } from './estimate-form.tsx'
import { readFormContent } from './form-content.ts'
import notes from './notes.css?inline'
import toasts from './toasts.css?inline'

// The inline script imports this file at the visitor's first interaction (load-form.ts).
const container = document.getElementById('estimate')
if (container) hydrateRoot(container, <EstimateForm content={readFormContent(container)} />)

// The first response does not contain these styles, because only React shows the elements that use them. Unlike a
// style element, a constructed style sheet needs no hash in the Content-Security-Policy.
const styles = new CSSStyleSheet()
styles.replaceSync(suggestions + notes + toasts)
document.adoptedStyleSheets.push(styles)
