import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as Listener } from 'node:net'

// At each turn of its loop Node accepts one connection from each socket it listens on. Under load a
// turn takes tenths of a second, and with one socket a new visitor waits behind everyone else who
// knocks: measured, up to a minute.
export const doorCount = 256

/** Listens on the port by many sockets, where the system can; each connection goes to the server. */
export async function openDoors(
  server: Server,
  port: number,
  host: string,
): Promise<{ port: number; close(): Promise<void> }> {
  // Sockets that share a port do not notice another program there. This one does.
  const probe = createServer()
  const found = await listen(probe, { port, host })
  await close(probe)

  const doors: Listener[] = []
  const openDoor = async (door: Listener) => {
    await listen(door, { port: found, host, reusePort: true })
    doors.push(door)
  }
  try {
    await openDoor(server)
    for (let at = 1; at < doorCount; at++)
      await openDoor(
        createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
          server.emit('connection', socket),
        ),
      )
  } catch (error) {
    // macOS and Windows cannot share a port so.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
    await listen(server, { port: found, host })
    doors.push(server)
  }
  return {
    port: found,
    async close() {
      await Promise.all(doors.map(close))
    },
  }
}

function listen(
  door: Listener,
  options: { port: number; host: string; reusePort?: boolean },
): Promise<number> {
  return new Promise((resolve, reject) => {
    door.once('error', reject)
    door.listen(options, () => {
      door.off('error', reject)
      resolve((door.address() as AddressInfo).port)
    })
  })
}

const close = (door: Listener): Promise<void> =>
  new Promise((resolve) => door.close(() => resolve()))
