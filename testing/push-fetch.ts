// Loaded before a server in a test (node --import): leads what goes to the stand-in's https name to
// where the stand-in listens.
import { pushHost } from '#demo/push-stand-in.ts'

const ownFetch = globalThis.fetch
globalThis.fetch = ((input: string | URL, init?: RequestInit) => {
  const url = new URL(input)
  return ownFetch(url.host === pushHost ? process.env.PUSH_STAND_IN + url.pathname : url, init)
}) as typeof fetch
