import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { findCaddy } from '#scripts/tools.mjs'
import { findFreePort, startProcess, waitUntil } from './processes.ts'

export { findCaddy }

const caddyfile = join(import.meta.dirname, '../deploy/Caddyfile')

/** Runs deploy/Caddyfile with a local domain, free ports, and certificates from Caddy's local CA. */
export async function startCaddy(upstreams: readonly string[], desk = '127.0.0.1:3001') {
  const command = findCaddy()
  if (!command) throw new Error('Caddy is not installed.')
  const dir = mkdtempSync(join(tmpdir(), 'caddy-'))
  mkdirSync(join(dir, 'storage'))
  const [httpPort, httpsPort] = await Promise.all([findFreePort(), findFreePort()])
  const forTests = `{
	admin off
	local_certs
	skip_install_trust
	http_port ${httpPort}
	https_port ${httpsPort}
	default_bind 127.0.0.1
	storage file_system ${dir}/storage
`
  const text = readFileSync(caddyfile, 'utf8')
    .replace(/^\{\n/m, forTests)
    .replaceAll('www.example.com', 'localhost')
    .replace('127.0.0.1:3000', upstreams.join(' '))
    .replace('127.0.0.1:3001', desk)
    // A server may take longer to start on a busy machine.
    .replace('lb_try_duration 8s', 'lb_try_duration 60s')
  const config = join(dir, 'Caddyfile')
  writeFileSync(config, text)
  const caddy = startProcess(command, ['run', '--config', config, '--adapter', 'caddyfile'], {
    XDG_CONFIG_HOME: dir,
    XDG_DATA_HOME: dir,
  })
  const stop = async () => {
    await caddy.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
  const root = join(dir, 'storage/pki/authorities/local/root.crt')
  let hasExited = false
  void caddy.exited.then(() => {
    hasExited = true
  })
  try {
    // Caddy writes the certificate before it is ready, so try a handshake.
    await waitUntil(async () => {
      if (hasExited) throw new Error(`Caddy exited: ${caddy.output.stderr}`)
      if (!existsSync(root)) return false
      const names = ['localhost', 'example.com', 'desk.example.com']
      const connected = await Promise.all(names.map((name) => canConnect(name, httpsPort, root)))
      return connected.every(Boolean)
    })
  } catch (error) {
    await stop()
    throw error
  }
  // Clients must trust Caddy's root certificate.
  return { httpPort, httpsPort, ca: readFileSync(root, 'utf8'), stop }
}

type RequestOptions = {
  headers?: Record<string, string>
  method?: string
  body?: string
  host?: string
  localAddress?: string
}

/** Creates an HTTPS client that, unlike fetch, does not follow redirects or decode bodies. */
export const createClient =
  ({ httpsPort: port, ca }: { httpsPort: number; ca: string }) =>
  (path: string, { headers, body, host = 'localhost', ...rest }: RequestOptions = {}) =>
    new Promise<IncomingMessage & { body: Buffer }>((resolve, reject) => {
      const to = { host: '127.0.0.1', port, servername: host, ca, path, agent: false, ...rest }
      const sent = request({ ...to, headers: { host: `${host}:${port}`, ...headers } })
      sent.on('error', reject)
      sent.on('response', (response) => {
        buffer(response).then((read) => resolve(Object.assign(response, { body: read })), reject)
      })
      sent.end(body)
    })

function canConnect(servername: string, port: number, root: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca: readFileSync(root) })
  socket.on('error', () => {})
  return once(socket, 'secureConnect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}
