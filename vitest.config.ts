import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: 'testing/console.ts',
    globalSetup: 'testing/postgres.ts',
    // Limits end what hangs: builds and processes by the dozen take their time on a busy machine, and how
    // long is not what a test tests.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // `npm test`, `npm run prove` and `npm run prove:container`.
    projects: ['test', 'prove', 'container'].map((name) => ({
      extends: true,
      test: {
        name,
        include: [`**/*.${name}.ts`],
        exclude: [...configDefaults.exclude, 'e2e/**'],
      },
    })),
  },
})
