import { defineConfig } from '@playwright/test'
import { findBrowser } from './scripts/tools.mjs'

const executablePath = findBrowser()
// Each worker reads this file, too, and need not search again.
if (executablePath) process.env.CHROMIUM_PATH = executablePath
const port = Number(process.env.E2E_PORT ?? 4173)

export default defineConfig({
  testDir: 'e2e',
  // Without one all are skipped, and set-up has said so.
  testIgnore: executablePath ? [] : '**',
  // `npm test` and `npm run test:slow`.
  projects: [
    { name: 'test', testMatch: '**/*.spec.ts' },
    { name: 'slow', testMatch: '**/*.slow.test.ts' },
  ],
  // Limits end what hangs. How fast things are is the benchmark's question, on a machine of its own.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.CI ? 'dot' : 'list',
  use: {
    baseURL: `http://localhost:${port}`,
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium refuses its sandbox to root; the rest keeps it from calling home.
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  webServer: executablePath
    ? {
        command: 'node e2e/serve.ts',
        env: { PORT: String(port) },
        url: `http://localhost:${port}/`,
        timeout: 300_000,
      }
    : [],
})
