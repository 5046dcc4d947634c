import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { fill } from '#leads/fill.ts'
import { fillInput, isTyping, setAttributes } from '../field-input.ts'
import type { FormContent } from '../form-content.ts'
import { loadPlaces, type Places, type Prediction } from './places.ts'
import { createAddressSearch } from './search.ts'

type Words = NonNullable<FormContent['places']>

/** Loads Google's Places library. Returns the list of suggestions, or undefined if the library does not load. */
export async function attachSuggestions(input: HTMLInputElement, key: string, words: Words) {
  const loaded = await loadPlaces(key, words.region)
  if (!loaded) return
  return <AddressCombobox input={input} words={words} {...loaded} />
}

type ComboboxProps = {
  input: HTMLInputElement
  words: Words
  places: Places
  refused: AbortSignal
}

/** Turns the field into an editable combobox with a list of suggestions, as ARIA defines it. */
function AddressCombobox({ input, words, places, refused }: ComboboxProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [predictions, setPredictions] = useState<Prediction[]>([])
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [status, setStatus] = useState('')
  const [disabled, setDisabled] = useState(false)

  const [search] = useState(() =>
    createAddressSearch({
      places,
      region: words.region,
      onFound: (found) => {
        setPredictions(found)
        setActive(-1)
        setOpen(found.length > 0)
        setStatus(describeCount(words, found.length))
      },
      onFailed: clear,
      onGiveUp: () => setDisabled(true),
    }),
  )

  /** Hides the list but keeps its options, because after Escape, an arrow key shows them again. */
  function close() {
    search.cancel()
    setOpen(false)
    setActive(-1)
    setStatus('')
  }

  function clear() {
    close()
    setPredictions([])
  }

  async function choose(prediction: Prediction) {
    clear()
    const typed = input.value
    const address = await search.findAddress(prediction)
    // Do not overwrite the field if the visitor has kept typing or the form has been cleared.
    if (!address || input.value !== typed) return
    fillInput(input, address)
    setStatus(fill(words.chosen, { address }))
  }

  const handleInput = useEffectEvent((event: Event) => {
    setActive(-1)
    if (!isTyping(event as InputEvent) || !search.search(input.value)) clear()
  })

  const handleKeyDown = useEffectEvent((event: KeyboardEvent) => {
    // During composition, Enter and the arrow keys control the input method.
    if (event.isComposing) return
    const chosen = open ? predictions[active] : undefined
    if (event.key === 'Enter') {
      if (!chosen) return clear()
      event.preventDefault()
      void choose(chosen)
    } else if (event.key === 'Escape') {
      if (open) event.preventDefault()
      close()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (predictions.length === 0 || event.shiftKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      setOpen(true)
      setActive(moveActive(active, event.key, predictions.length))
    } else if (open && active >= 0 && /^(Arrow(Left|Right)|Home|End)$/.test(event.key)) {
      setActive(-1)
    }
  })

  const handleBlur = useEffectEvent(clear)

  // Use a layout effect, so that the keys work as soon as the field becomes a combobox.
  useLayoutEffect(() => {
    if (disabled) return
    const listeners = new AbortController()
    const { signal } = listeners
    input.addEventListener('input', (event) => handleInput(event), { signal })
    input.addEventListener('keydown', (event) => handleKeyDown(event), { signal })
    input.addEventListener('blur', () => handleBlur(), { signal })
    refused.addEventListener('abort', () => setDisabled(true), { signal })
    return () => {
      listeners.abort()
      search.cancel()
    }
  }, [input, refused, search, disabled])

  const activeId = open && active >= 0 ? `${id}-${active}` : null

  // Extend the existing field instead of replacing it, because the visitor may be typing in it.
  useLayoutEffect(() => {
    setAttributes(input, {
      role: disabled ? null : 'combobox',
      'aria-autocomplete': disabled ? null : 'list',
      'aria-expanded': disabled ? null : String(open),
      'aria-controls': open && !disabled ? id : null,
      'aria-activedescendant': disabled ? null : activeId,
    })
  }, [input, id, open, activeId, disabled])

  // On a small screen, the list may open below the bottom edge.
  useEffect(() => {
    if (open) list.current?.scrollIntoView({ block: 'nearest' })
  }, [open])

  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  if (disabled) return null
  return (
    <>
      {open && (
        <div ref={list} className="suggestions">
          <div role="listbox" id={id} aria-label={words.label}>
            {predictions.map((prediction, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps focus and points to the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
              <div
                key={prediction.placeId}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === active}
                // Keep the focus in the field, so that the on-screen keyboard stays open.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(prediction)}
              >
                <span>{(prediction.mainText ?? prediction.text).text}</span>{' '}
                {prediction.mainText && prediction.secondaryText?.text}
              </div>
            ))}
          </div>
          {/* Google requires this untranslated attribution when its places are shown without a map. */}
          <p translate="no">{words.source}</p>
        </div>
      )}
      <p role="status" className="unseen">
        {status}
      </p>
    </>
  )
}

function describeCount({ none, one, several }: Words, count: number) {
  if (count === 0) return none
  return count === 1 ? one : fill(several, { count })
}

/** Returns the next option in the direction of the arrow key, wrapping around at the ends. */
function moveActive(active: number, key: 'ArrowDown' | 'ArrowUp', count: number) {
  if (key === 'ArrowDown') return (active + 1) % count
  return active <= 0 ? count - 1 : active - 1
}
