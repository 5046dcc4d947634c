import { hydrateRoot } from 'react-dom/client'
import { EstimateForm } from './estimate-form.tsx'

// The inline script imports this file at the visitor's first interaction (load-form.ts).
const container = document.getElementById('estimate')
if (container) hydrateRoot(container, <EstimateForm />)
