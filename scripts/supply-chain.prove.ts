import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

type Audit = {
  vulnerabilities: Record<string, { name: string; severity: string }>
  metadata: { vulnerabilities: Record<string, number> }
}

it('the packages have no known hole of high severity, as far as the registry can be asked', ({
  skip,
}) => {
  // The registry is the one of this machine's npm; none is named here.
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', timeout: 60_000 })
  if (!stdout?.includes('"vulnerabilities"')) skip('This machine’s registry answers no audit.')
  const { vulnerabilities, metadata }: Audit = JSON.parse(stdout)
  process.stdout.write(`npm audit: ${JSON.stringify(metadata.vulnerabilities)}\n`)
  const found = Object.values(vulnerabilities)
    .filter(({ severity }) => ['high', 'critical'].includes(severity))
    .map(({ name, severity }) => `${name}: ${severity}`)
  expect(found).toEqual([])
})
