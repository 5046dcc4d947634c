import { hydrateRoot } from 'react-dom/client'
import { EstimateForm } from './estimate-form.tsx'

// The inline script imports this file at the first contact (load-form.ts).
const container = document.getElementById('estimate')
if (container) hydrateRoot(container, <EstimateForm />)
