import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../testing/processes.ts'
import { openDoors } from './doors.ts'

async function open(port = 0) {
  const server = createServer((_, response) => response.end('here'))
  const doors = await openDoors(server, port, '127.0.0.1')
  onTestFinished(async () => {
    const closed = doors.close()
    server.closeAllConnections()
    await closed
  })
  return { server, ...doors }
}

it('answers at every door', async () => {
  const { port } = await open()
  const answers = Array.from({ length: 100 }, async () => {
    const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
    return response.text()
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['here']))
})

it('does not share its port with another program, nor with a second start', async () => {
  const { port } = await open()
  await expect(open(port)).rejects.toThrow('EADDRINUSE')
})

it('is had by one of two that start at the same moment', async () => {
  for (let steps = 0; steps < 30; steps++) {
    const port = await findFreePort()
    const first = open(port)
    // The second comes a little later each time, so that one meets every gap there may be.
    for (let at = 0; at < steps; at++) await new Promise(process.nextTick)
    const starts = await Promise.allSettled([first, open(port)])
    expect([steps, starts.map(({ status }) => status).sort()]).toEqual([
      steps,
      ['fulfilled', 'rejected'],
    ])
  }
})

it('can be had again as soon as it is closed', async () => {
  const { port, close } = await open()
  await close()
  expect((await open(port)).port).toBe(port)
})

it('is closed when all who are in have left', async () => {
  const { port, server, close } = await open()
  const visitor = connect({ port, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('connection', resolve))
  let isClosed = false
  const closing = close().then(() => {
    isClosed = true
  })
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
  expect(isClosed).toBe(false)
  visitor.destroy()
  await closing
})

it.skipIf(process.platform !== 'linux')('lets in many at each turn of Node’s loop', async () => {
  const { port, server } = await open()
  let entered = 0
  server.on('connection', () => {
    entered += 1
  })
  // For the kernel they are connected at once; nobody is let in before the loop turns.
  const visitors = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }))
  let turns = 0
  for (; entered < 100; turns++) await new Promise((resolve) => setImmediate(resolve))
  for (const visitor of visitors) visitor.destroy()
  expect(turns).toBeLessThan(50)
})
