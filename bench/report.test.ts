import { expect, it } from 'vitest'
import { mergeResults } from './report.ts'

it('saves one benchmark and keeps the results of the others', () => {
  const intro = '# Benchmark results\n'
  const page = mergeResults(intro, 'page', '### Paint\n\n| 1 |\n')
  const both = mergeResults(page, 'submit', '### Submit\n\n| 2 |\n')
  expect(mergeResults(both, 'page', '### Paint\n\n| 3 |\n')).toBe(
    `${intro}\n## page\n\n### Paint\n\n| 3 |\n\n## submit\n\n### Submit\n\n| 2 |\n`,
  )
})
