import type { KyselyPlugin, RawNode } from 'kysely'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { countToDo, listTodayLeads } from './today-leads.ts'

const day = { from: 1, to: 2 }

it.each([
  [
    'the cards of Today',
    (kysely) => listTodayLeads({ kysely }, { now: 1, day, email: 'sam@example.com' }),
  ],
  ['the counts of the digest', (kysely) => countToDo({ kysely }, 2)],
] satisfies [
  string,
  (kysely: Awaited<ReturnType<typeof openTestDatabase>>['kysely']) => Promise<unknown>,
][])('reads only the leads that need something on SQLite, for %s', async (_, query) => {
  const steps: unknown[] = []
  const explain: KyselyPlugin = {
    transformQuery({ node }) {
      const { sqlFragments, ...rest } = node as RawNode
      const [first, ...others] = sqlFragments
      return { ...rest, sqlFragments: [`explain query plan ${first}`, ...others] } as RawNode
    },
    async transformResult({ result }) {
      steps.push(...result.rows.map(({ detail }) => detail))
      return { ...result, rows: [] }
    },
  }
  const { kysely } = await openTestDatabase('sqlite')
  await query(kysely.withPlugin(explain))
  expect(steps).toContainEqual(
    expect.stringMatching(/^SEARCH leads USING INDEX leads_deadline \(status=\? AND deadline_at>/),
  )
  expect(steps).not.toContainEqual(expect.stringMatching(/^SCAN leads$/))
  // This index would find nearly all leads, because nearly all have changed.
  expect(steps).not.toContainEqual(expect.stringMatching(/INDEX leads_changed \(changed_at>\?\)/))
})
