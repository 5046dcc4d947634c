// biome-ignore lint/suspicious/noConsole: the specification asks for this message
console.error('404: there is no page at', location.pathname)
