import type { Plugin } from 'vite'

/**
 * Removes the style sheet that Sonner inserts by script, because the headers of every response would need its hash.
 * toasts.tsx imports it as a file instead.
 */
export const dropInsertedStyle: Plugin = {
  name: 'drop-inserted-style',
  apply: 'build',
  transform(code, id) {
    if (!id.endsWith('/sonner/dist/index.mjs')) return
    const dropped = code.replace(/__insertCSS\("(?:[^"\\]|\\.)*"\)/, '')
    if (dropped === code) throw new Error('Sonner’s style sheet was not found. Update this plugin.')
    return dropped
  },
}
