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
  const doors: Listener[] = []
  const open = async (door: Listener, place: Place) => {
    const found = await listen(door, place)
    doors.push(door)
    return found
  }
  const closeAll = async () => {
    await Promise.all(doors.map(close))
  }
  try {
    // Two that start at the same moment would both find the port free. A name that only one can have
    // decides; it is no file, and the kernel takes it back however the process ends.
    if (process.platform === 'linux' && port !== 0)
      await open(
        createServer((socket) => socket.destroy()),
        { path: `\0roofing-site ${host}:${port}` },
      )

    // Sockets that share a port do not notice another program there. This one does.
    const probe = createServer()
    const found = await listen(probe, { port, host })
    await close(probe)

    const shared = { port: found, host, reusePort: true }
    try {
      await open(server, shared)
    } catch (error) {
      // macOS and Windows cannot share a port so.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
      await open(server, { port: found, host })
      return { port: found, close: closeAll }
    }
    for (let at = 1; at < doorCount; at++)
      await open(
        createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
          server.emit('connection', socket),
        ),
        shared,
      )
    return { port: found, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

type Place = { port: number; host: string; reusePort?: boolean } | { path: string }

function listen(door: Listener, place: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    door.once('error', reject)
    door.listen(place, () => {
      door.off('error', reject)
      resolve((door.address() as AddressInfo).port)
    })
  })
}

const close = (door: Listener): Promise<void> =>
  new Promise((resolve) => door.close(() => resolve()))
