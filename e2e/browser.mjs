import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const macApps = ['Google Chrome', 'Chromium'].map(
  (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
)

/** The installed Chromium or Chrome, 'playwright' for Playwright's own build, or nothing. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const installed = [process.env.CHROMIUM_PATH, ...onPath, ...macApps].find(isExecutable)
  return installed ?? (hasPlaywrightBuild() ? 'playwright' : undefined)
}

function isExecutable(path) {
  if (!path) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function hasPlaywrightBuild() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache/ms-playwright'),
    join(homedir(), 'Library/Caches/ms-playwright'),
    join(homedir(), 'AppData/Local/ms-playwright'),
  ]
  return caches.some(
    (cache) =>
      cache && existsSync(cache) && readdirSync(cache).some((name) => name.startsWith('chromium')),
  )
}
