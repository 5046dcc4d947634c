import { createRoot } from 'react-dom/client'
import { Toaster, toast } from 'sonner'
import sonnerStyles from 'sonner/dist/styles.css?inline'

const styles = new CSSStyleSheet()
styles.replaceSync(sonnerStyles)
document.adoptedStyleSheets.push(styles)

const container = document.body.appendChild(document.createElement('div'))
createRoot(container).render(
  <Toaster
    position="top-center"
    offset={88}
    mobileOffset={{ top: 72, left: 16, right: 16 }}
    duration={7000}
    richColors
    className="toasts"
    closeButton
  />,
)

// A toast replaces the previous one with the same ID, so only one is visible.
let currentId = 0

export function showToast(kind: 'success' | 'error', text: string) {
  toast[kind](text, { id: `estimate-${currentId}` })
}

export function hideToast() {
  toast.dismiss(`estimate-${currentId}`)
  // Change the ID, because Sonner dismisses with a delay and would also dismiss a new toast with the same ID.
  currentId += 1
}
