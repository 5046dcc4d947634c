const longestLoadMs = 8_000

/** The code that sends a lead; nothing where it hangs, or is gone because another version was deployed. */
export const loadSender = () =>
  Promise.race([
    import('./send-lead.ts').catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, longestLoadMs)),
  ])
