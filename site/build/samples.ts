/** The places in the content that are the template's, such as `about.award`: they are marked. */
export function findSamples(content: unknown, path = ''): string[] {
  if (typeof content !== 'object' || content === null) return []
  const isSample = 'sample' in content && content.sample === true
  return [
    ...(isSample ? [path] : []),
    ...Object.entries(content).flatMap(([name, inner]) =>
      findSamples(inner, path === '' ? name : `${path}.${name}`),
    ),
  ]
}
