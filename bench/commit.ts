import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, openSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '#testing/processes.ts'

export const root = join(import.meta.dirname, '..')

const run = (command: string, args: string[], cwd = root) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

export const build = (cwd: string) => run('npm', ['run', 'build', '--ignore-scripts'], cwd)

/** Writes the log to /dev/null, so that measurements include the cost of logging but this process stores no log. */
export const startQuietServer = (env: Record<string, string>, cwd = root) =>
  startServer({ RATE_LIMIT_PER_MINUTE: '0', ...env }, { cwd, stderr: openSync('/dev/null', 'w') })

/** Checks out and builds a commit in a folder that is removed when the stack is disposed. */
export function checkOut(commit: string, stack: DisposableStack): string {
  const dir = stack.use(mkdtempDisposableSync(join(tmpdir(), 'bench-'))).path
  const checkout = join(dir, 'checkout')
  run('git', ['worktree', 'add', '--detach', checkout, commit])
  stack.defer(() => {
    run('git', ['worktree', 'remove', '--force', checkout])
  })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  build(checkout)
  return checkout
}
