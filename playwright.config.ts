import { defineConfig } from '@playwright/test'
import { findBrowser } from './scripts/tools.mjs'

const executablePath = findBrowser()
// Pass the result to the workers, because they also read this file.
if (executablePath) process.env.CHROMIUM_PATH = executablePath
const port = Number(process.env.E2E_PORT ?? 4173)

export default defineConfig({
  testDir: 'e2e',
  // Without a browser, skip all tests. scripts/setup.mjs lists them.
  testIgnore: executablePath ? [] : '**',
  // `npm test` runs the first project, and `npm run test:slow` runs the second.
  projects: [
    { name: 'test', testMatch: '**/*.spec.ts' },
    { name: 'slow', testMatch: '**/*.slow.test.ts' },
  ],
  // These timeouts only stop tests that hang. Benchmarks measure speed.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // Don't compile these bundles, because that would take Babel several seconds.
  build: { external: ['**/render.mjs'] },
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
      // Chromium's sandbox does not work as root. The other flags prevent requests to Google.
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
