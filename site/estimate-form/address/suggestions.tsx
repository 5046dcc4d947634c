import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import type { FormContent } from '../form-content.ts'

const mapsKey: string | undefined = import.meta.env.VITE_GOOGLE_MAPS_API_KEY

type SuggestionsProps = {
  field: RefObject<HTMLInputElement | null>
  places: FormContent['places']
}

/**
 * Suggestions for the address field. Their code loads when the visitor focuses the form. Without a key, or if loading
 * fails, the field stays a plain text field.
 */
export function AddressSuggestions({ field, places }: SuggestionsProps) {
  const [list, setList] = useState<ReactNode>()

  useEffect(() => {
    const input = field.current
    const form = input?.form
    if (!mapsKey || !places || !form) return
    const attach = async () => {
      try {
        const { attachSuggestions } = await import('./combobox.tsx')
        setList(await attachSuggestions(input, mapsKey, places))
      } catch {
        // Ignore the error, because visitors can still type the whole address.
      }
    }
    // The form may already have the focus when this code loads.
    if (form.matches(':focus-within')) void attach()
    else form.addEventListener('focusin', attach, { once: true })
    return () => form.removeEventListener('focusin', attach)
  }, [field, places])

  return list
}
