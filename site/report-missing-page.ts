// biome-ignore lint/suspicious/noConsole: tells developers which path is missing
console.error('404: there is no page at', location.pathname)
