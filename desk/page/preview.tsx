import { useEffect, useRef, useState } from 'react'

/**
 * Shows the draft as visitors will see it, without scripts. Each version loads in a new frame behind the current one,
 * so that the preview does not flash and the browser's history gets no extra step.
 */
export function Preview({ number, anchor }: { number: number; anchor: string }) {
  const [shown, setShown] = useState(number)
  const shownFrame = useRef<HTMLIFrameElement>(null)
  useEffect(() => scrollFrame(shownFrame.current, anchor), [anchor])
  const show = (frame: HTMLIFrameElement) => {
    const before = shownFrame.current
    // Copy the scroll position from the previous frame.
    if (before && before !== frame)
      frame.contentWindow?.scrollTo(0, before.contentWindow?.scrollY ?? 0)
    else scrollFrame(frame, anchor)
    shownFrame.current = frame
    setShown(number)
  }
  return (
    <section className="preview" id="preview" aria-labelledby="preview-heading">
      <h2 id="preview-heading">Preview</h2>
      <div className="frames card">
        {[...new Set([shown, number])].map((version) => (
          <iframe
            key={version}
            src={`/api/page/preview?version=${version}`}
            title="The page as visitors will see it"
            sandbox="allow-same-origin"
            data-loading={version !== shown || undefined}
            aria-hidden={version !== shown || undefined}
            onLoad={({ currentTarget }) => version === number && show(currentTarget)}
          />
        ))}
      </div>
    </section>
  )
}

const headerHeight = 96

/** Scrolls only the frame. An anchor in its URL would also scroll the desk. */
function scrollFrame(frame: HTMLIFrameElement | null, anchor: string): void {
  const view = frame?.contentWindow
  const target = view?.document.getElementById(anchor)
  const top = target ? target.getBoundingClientRect().top + (view?.scrollY ?? 0) : 0
  view?.scrollTo(0, top - headerHeight)
}
