import { type ReactNode, type RefObject, useEffect, useState } from 'react'

const mapsKey: string | undefined = import.meta.env.VITE_GOOGLE_MAPS_API_KEY

/**
 * Suggestions for the address field, from the first contact with the form on. Without a key, or when
 * anything about them fails, the field stays the plain one it is.
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
        // The code did not load. The visitor types the address, as on any other form.
      }
    }
    // The contact that brought this code may have been the one with the form.
    if (form.matches(':focus-within')) void attach()
    else form.addEventListener('focusin', attach, { once: true })
    return () => form.removeEventListener('focusin', attach)
  }, [field])

  return list
}
