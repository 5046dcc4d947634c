import { createRoot } from 'react-dom/client'
import { Toaster, toast } from 'sonner'

const container = document.body.appendChild(document.createElement('div'))
createRoot(container).render(
  <Toaster
    position="top-center"
    offset={88}
    mobileOffset={72}
    duration={7000}
    richColors
    closeButton
  />,
)

export function showToast(kind: 'success' | 'error', text: string) {
  toast[kind](text)
}
