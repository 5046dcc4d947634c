import { createRoot } from 'react-dom/client'
import { Toaster, toast } from 'sonner'

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

// One toast at a time: what was said before is no longer true.
let turn = 0

export function showToast(kind: 'success' | 'error', text: string) {
  toast[kind](text, { id: `estimate-${turn}` })
}

export function hideToast() {
  toast.dismiss(`estimate-${turn}`)
  // Sonner takes a moment to dismiss, and would take the next of the same name along.
  turn += 1
}
