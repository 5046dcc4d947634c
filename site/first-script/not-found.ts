// biome-ignore lint/suspicious/noConsole: the specification asks for it
console.error('404: there is no page at', location.pathname)
