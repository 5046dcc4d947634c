import type { Code } from './build.ts'

export const Style = ({ code }: { code: Code }) =>
  'url' in code ? (
    <link rel="stylesheet" href={code.url} />
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the style sheet
    <style dangerouslySetInnerHTML={{ __html: code.code }} />
  )

/** Inline code runs immediately, so that the first paint already shows what it changes. */
export const Script = ({ code }: { code: Code }) =>
  'url' in code ? (
    <script type="module" src={code.url} />
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the script
    <script dangerouslySetInnerHTML={{ __html: code.code }} />
  )
