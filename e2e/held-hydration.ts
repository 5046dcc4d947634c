/** The form's code, but React works only when `goOn` is run: it goes by messages, and these wait. */
export const holdHydration = (code: string) => `
  window.hydration = { waiting: [] }
  class HeldChannel {
    port1 = {}
    port2 = { postMessage: () => window.hydration.waiting.push(() => this.port1.onmessage()) }
  }
  ${code.replace('new MessageChannel', 'new HeldChannel')}`

export const isHydrating = 'window.hydration?.waiting.length > 0'

export const goOn = `
  for (const work of window.hydration.waiting) work()
  window.hydration.waiting.push = (work) => queueMicrotask(work)`
