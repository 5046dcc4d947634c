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
const id = 'estimate'

export function showToast(kind: 'success' | 'error', text: string) {
  toast[kind](text, { id })
}

export function hideToast() {
  toast.dismiss(id)
}
