import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createStaticSite } from './static-site.ts'

const port = Number(process.env.PORT ?? 3000)
const app = new Hono().all('*', createStaticSite(join(import.meta.dirname, 'dist')))

serve({ fetch: app.fetch, port, hostname: process.env.HOST ?? '0.0.0.0' }, () => {
  process.stdout.write(`The site is at http://localhost:${port}\n`)
})
