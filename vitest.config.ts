import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: 'testing/console.ts',
    globalSetup: 'testing/postgres.ts',
    // Some build the page or start processes; on a busy machine that takes its time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `npm test` and `npm run prove`.
    projects: ['test', 'prove'].map((name) => ({
      extends: true,
      test: {
        name,
        include: [`**/*.${name}.ts`],
        // A proof starts builds and processes by the dozen; how long that takes is not what it proves.
        ...(name === 'prove' && { testTimeout: 300_000 }),
        exclude: [...configDefaults.exclude, 'e2e/**'],
      },
    })),
  },
})
