import { configDefaults, defineConfig } from 'vitest/config'

const project = (name: string, include: string, exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include: [include], exclude: [...configDefaults.exclude, 'e2e/**', ...exclude] },
})

export default defineConfig({
  test: {
    setupFiles: 'testing/console.ts',
    globalSetup: 'testing/postgres.ts',
    // Import each module only once per worker. Test files must undo changes to shared modules and globals.
    isolate: false,
    // These timeouts only stop tests that hang. They are long, because builds are slow on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      project('test', '**/*.test.ts', ['**/*.slow.test.ts']),
      project('slow', '**/*.slow.test.ts', ['leads/simulation*']),
      // The simulation is separate, because it can use all cores.
      project('simulation', 'leads/simulation*.slow.test.ts'),
      project('container', '**/*.container.ts'),
    ],
  },
})
