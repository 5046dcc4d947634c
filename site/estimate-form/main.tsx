import { hydrateRoot } from 'react-dom/client'
import { EstimateForm } from './estimate-form.tsx'

/** Resolves when the form answers to React. `postPlainly` lets the browser post it after all. */
export function hydrateForm(postPlainly: () => void) {
  const container = document.getElementById('estimate')
  if (!container) throw new Error('The page has no #estimate')
  return new Promise<void>((onReady) => {
    hydrateRoot(container, <EstimateForm onReady={onReady} postPlainly={postPlainly} />)
  })
}
