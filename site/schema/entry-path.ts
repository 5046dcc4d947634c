/** Returns the entry at a path such as services.cards.1.title. '' means the whole tree. */
export const readEntry = (tree: unknown, path: string): unknown =>
  path === '' ? tree : path.split('.').reduce((inner, name) => Object(inner)[name], tree)

/** Returns a copy of the tree with a new value for the entry, or without the entry if the value is undefined. */
export function writeEntry(tree: unknown, path: string, value: unknown): unknown {
  if (path === '') return value
  const [name = '', ...rest] = path.split('.')
  const inner = writeEntry(Object(tree)[name], rest.join('.'), value)
  if (Array.isArray(tree)) return tree.with(Number(name), inner)
  const { [name]: _, ...others } = Object(tree)
  return inner === undefined ? others : { ...Object(tree), [name]: inner }
}

export const joinPath = (...parts: (string | number)[]): string =>
  parts.filter((part) => part !== '').join('.')

/** Lists all texts in a tree. */
export const listTexts = (tree: unknown, path = ''): { path: string; text: string }[] =>
  typeof tree === 'string'
    ? [{ path, text: tree }]
    : Object.entries(Object(tree)).flatMap(([name, inner]) =>
        listTexts(inner, joinPath(path, name)),
      )
