/** Every text except the company's own entries may contain these. */
export const commonPlaceholders = ['company', 'minutes', 'since'] as const

type Facts = {
  company: { name: string; since: number }
  hours: { promiseMinutes: number }
}

/** Replaces placeholders such as {time}. Those without a value stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

export const listPlaceholders = (text: string): string[] => text.match(/\{[^{}]*\}/g) ?? []

/** Fills in the common placeholders of all texts. */
export function fillIn<Content extends Facts>(content: Content): Content {
  const { company, hours } = content
  const values = { company: company.name, minutes: hours.promiseMinutes, since: company.since }
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value, values)
    if (Array.isArray(value)) return value.map(fillAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner)]))
  }
  return { ...(fillAll(content) as Content), company, hours }
}
