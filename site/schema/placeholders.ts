import { fill } from '#leads/fill.ts'

/** Every text outside `company` may contain these. */
export const commonPlaceholders = ['company', 'minutes', 'since'] as const

type Facts = {
  company: { name: string; since: number }
  hours: { promiseMinutes: number; open: unknown }
  head: { limitedHours: object }
  emergency: { limitedHours: object }
}

export const listPlaceholders = (text: string): string[] => text.match(/\{[^{}]*\}/g) ?? []

/** Fills in the common placeholders and selects the wording that fits the company's hours. */
export function fillIn<Content extends Facts>(content: Content): Content {
  const { company, hours } = content
  const values = { company: company.name, minutes: hours.promiseMinutes, since: company.since }
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value, values)
    if (Array.isArray(value)) return value.map(fillAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner)]))
  }
  const filled = { ...(fillAll(content) as Content), company, hours }
  if (hours.open === 'always') return filled
  const { head, emergency } = filled
  return {
    ...filled,
    head: { ...head, ...head.limitedHours },
    emergency: { ...emergency, ...emergency.limitedHours },
  }
}
