import { listSkipped, readMissing } from './tools.mjs'

// The last words of `npm test` and `npm run prove`.
const missing = readMissing()
if (missing.length > 0) process.stdout.write(`\n${listSkipped(missing)}\n`)
