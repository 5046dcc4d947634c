import type { EditorField, EditorSection } from '#site/schema/editor.ts'

export const joinPath = (...parts: (string | number)[]): string =>
  parts.filter((part) => part !== '').join('.')

/** The value of a list or a group before the owner fills it in. */
export const makeGroup = (fields: readonly EditorField[]): object =>
  Object.fromEntries(fields.map(({ path }) => [path, '']))

/** Returns true if the path belongs to the section or one of its fields. */
export const isInSection = ({ id, fields }: EditorSection, path: string): boolean =>
  path === id || fields.some((field) => path === field.path || path.startsWith(`${field.path}.`))
