import type { EditorField, EditorSection } from '#site/schema/editor.ts'

/** Returns the entry at a path such as services.cards.1.title. '' means the whole tree. */
export const readEntry = (tree: unknown, path: string): unknown =>
  path === '' ? tree : path.split('.').reduce((inner, name) => Object(inner)[name], tree)

/** Returns a copy of the tree with another entry. */
export function writeEntry(tree: unknown, path: string, value: unknown): unknown {
  if (path === '') return value
  const [name = '', ...rest] = path.split('.')
  const inner = writeEntry(Object(tree)[name], rest.join('.'), value)
  if (Array.isArray(tree)) return tree.with(Number(name), inner)
  return { ...Object(tree), [name]: inner }
}

export const joinPath = (...parts: (string | number)[]): string =>
  parts.filter((part) => part !== '').join('.')

/** The value of a list or a group before the owner fills it in. */
export const makeGroup = (fields: readonly EditorField[]): object =>
  Object.fromEntries(fields.map(({ path }) => [path, '']))

/** Returns true if the path belongs to the section or one of its fields. */
export const isInSection = ({ id, fields }: EditorSection, path: string): boolean =>
  path === id || fields.some((field) => path === field.path || path.startsWith(`${field.path}.`))
