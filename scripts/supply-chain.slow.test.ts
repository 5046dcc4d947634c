import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('no package has a known vulnerability of high severity', ({ skip }) => {
  const options = { encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout } = spawnSync('npm', ['audit', '--audit-level=high'], options)
  if (!/vulnerabilities/.test(stdout)) skip('The registry of this machine does not support audits.')
  expect(status, stdout).toBe(0)
})
