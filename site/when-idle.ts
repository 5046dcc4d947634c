// Safari has no requestIdleCallback.
export const whenIdle: (work: () => void) => void = window.requestIdleCallback ?? setTimeout
