import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    setupFiles: 'testing/console.ts',
    globalSetup: 'testing/postgres.ts',
    // Some build the page or start processes; on a busy machine that takes its time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
