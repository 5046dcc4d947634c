import { hasSampleText } from './sample-texts.ts'

/** The places in the content that are the template's, such as `about.award`: marked, or known by their words. */
export function findSamples(content: unknown, path = ''): string[] {
  if (typeof content !== 'object' || content === null) return []
  const isSample = ('sample' in content && content.sample === true) || hasSampleText(content)
  return [
    ...(isSample ? [path] : []),
    ...Object.entries(content).flatMap(([name, inner]) =>
      findSamples(inner, path === '' ? name : `${path}.${name}`),
    ),
  ]
}
