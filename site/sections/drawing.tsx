/** An SVG file of ours, in the page itself: there it takes the brand's colors. */
export const Drawing = ({ svg }: { svg: string }) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own files
  <span className="drawing" dangerouslySetInnerHTML={{ __html: svg.trim() }} />
)
