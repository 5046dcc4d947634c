import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['doctor/*.test.ts', 'site/**/*.test.ts', 'supabase/**/*.test.ts', '*.test.ts'],
    setupFiles: 'testing/console.ts',
    globalSetup: 'testing/postgres.ts',
  },
})
