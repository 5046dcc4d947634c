import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('the packages have no known hole of high severity, as far as the registry can be asked', () => {
  // The registry is the one of this machine's npm; none is named here.
  const { stdout } = spawnSync('npm', ['audit', '--json'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  const answer = parse(stdout)
  const counts = answer?.metadata?.vulnerabilities
  if (!counts) {
    process.stdout.write(
      'npm audit could not be asked: this machine’s registry does not answer it.\n',
    )
    return
  }
  const said = Object.entries(counts).map(([severity, count]) => `${severity} ${count}`)
  process.stdout.write(`npm audit: ${said.join(', ')}\n`)
  const found = Object.values(answer?.vulnerabilities ?? {})
    .filter(({ severity }) => ['high', 'critical'].includes(severity))
    .map(({ name, severity }) => `${name}: ${severity}`)
  expect(found).toEqual([])
})

type Audit = {
  vulnerabilities?: Record<string, { name: string; severity: string }>
  metadata?: { vulnerabilities?: Record<string, number> }
}

function parse(text: string | null): Audit | undefined {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
