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

// Only one toast at a time: a new outcome replaces the old one.
let turn = 0

export function showToast(kind: 'success' | 'error', text: string) {
  toast[kind](text, { id: `estimate-${turn}` })
}

export function hideToast() {
  toast.dismiss(`estimate-${turn}`)
  // Sonner dismisses with a delay, and would dismiss a new toast with the same id.
  turn += 1
}
