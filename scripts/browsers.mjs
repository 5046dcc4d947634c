import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const windowed = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
// Chromium without windows: a page costs it a third of the time.
const names = ['chromium-headless-shell', ...windowed]
const macApps = ['Google Chrome', 'Chromium'].map(
  (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
)

export const findOnPath = (names) =>
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

/** The installed Chromium or Chrome, or Playwright's own build, or nothing. */
export const findBrowser = () =>
  process.env.CHROMIUM_PATH ||
  [...names.map((name) => findOnPath([name])), ...macApps, ...listPlaywrightBuilds()].find(canStart)

/** One that can show notifications, which the one without windows cannot. */
export const findWindowedBrowser = () =>
  [...windowed.map((name) => findOnPath([name])), ...macApps].find(canStart)

// One that cannot start is none: libraries may be missing, and Ubuntu's is a script that says so.
const canStart = (path) => isExecutable(path) && spawnSync(path, ['--version']).status === 0

function isExecutable(path) {
  if (!path) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function listPlaywrightBuilds() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache/ms-playwright'),
    join(homedir(), 'Library/Caches/ms-playwright'),
    join(homedir(), 'AppData/Local/ms-playwright'),
  ]
  const list = (folder) => readdirSync(folder).map((name) => join(folder, name))
  return caches
    .filter((cache) => cache && existsSync(cache))
    .flatMap((cache) => list(cache).filter((path) => /[\\/]chromium_headless_shell-/.test(path)))
    .flatMap((build) => list(build).filter((path) => /[\\/]chrome-/.test(path)))
    .flatMap((folder) =>
      ['chrome-headless-shell', 'headless_shell', 'chrome-headless-shell.exe'].map((name) =>
        join(folder, name),
      ),
    )
}
