import { type ReactNode, type RefObject, useEffect, useState } from 'react'

const mapsKey: string | undefined = import.meta.env.VITE_GOOGLE_MAPS_API_KEY

/**
 * Suggestions for the address field, loaded when the visitor enters the form. Without a key, or after
 * any failure, it stays a plain field.
 */
export function AddressSuggestions({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const [list, setList] = useState<ReactNode>()

  useEffect(() => {
    const input = field.current
    const form = input?.form
    if (!mapsKey || !form) return
    const attach = async () => {
      try {
        const { attachSuggestions } = await import('./combobox.tsx')
        setList(await attachSuggestions(input, mapsKey))
      } catch {
        // The code did not load. The visitor types the whole address.
      }
    }
    // The visitor may already be in the form when this code loads.
    if (form.matches(':focus-within')) void attach()
    else form.addEventListener('focusin', attach, { once: true })
    return () => form.removeEventListener('focusin', attach)
  }, [field])

  return list
}
