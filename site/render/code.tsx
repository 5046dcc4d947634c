import type { Code } from './build.ts'

export const Style = ({ code }: { code: Code }) =>
  'url' in code ? (
    <link rel="stylesheet" href={code.url} />
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the build's code
    <style dangerouslySetInnerHTML={{ __html: code.code }} />
  )

/** Async, so that it runs in a separate task, after the layout that autofill triggers. */
export const Script = ({ code }: { code: Code }) =>
  'url' in code ? (
    <script type="module" src={code.url} />
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the build's code
    <script type="module" async dangerouslySetInnerHTML={{ __html: code.code }} />
  )
