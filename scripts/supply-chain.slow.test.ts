import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('has no package with a known high-severity vulnerability', ({ skip }) => {
  const options = { encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout } = spawnSync('npm', ['audit', '--audit-level=high'], options)
  if (!/vulnerabilities/.test(stdout)) skip('The npm registry does not support audits.')
  expect(status, stdout).toBe(0)
})
