import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const macApps = ['Google Chrome', 'Chromium'].map(
  (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
)

const findOnPath = (names) =>
  names
    .flatMap((name) =>
      (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
    )
    .find(isExecutable)

/** An installed Firefox, or nothing. */
export const findFirefox = () =>
  [
    process.env.FIREFOX_PATH,
    findOnPath(['firefox-esr', 'firefox']),
    '/Applications/Firefox.app/Contents/MacOS/firefox',
  ].find(isExecutable)

/** WebKitGTK's driver, if there is also a screen for it to draw on. */
export const findWebKit = () => findOnPath(['Xvfb']) && findOnPath(['WebKitWebDriver'])

/** The installed Chromium or Chrome, 'playwright' for Playwright's own build, or nothing. */
export function findBrowser() {
  const installed = [process.env.CHROMIUM_PATH, findOnPath(names), ...macApps].find(isExecutable)
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
