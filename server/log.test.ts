import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { createLog } from './log.ts'

it('drops and counts lines while the reader is stalled, and reports the count afterwards', async () => {
  const pipe = new PassThrough({ highWaterMark: 100 })
  const log = createLog(pipe, 1_000)
  for (let at = 0; at < 50; at++) log.info({}, 'a line')
  let read = 0
  for await (const line of createInterface(pipe)) {
    const { msg, dropped } = JSON.parse(line)
    if (msg === 'a line') read += 1
    else {
      expect(msg).toBe('log lines were dropped because the reader stalled')
      expect(read + dropped).toBe(50)
      break
    }
  }
  expect(read).toBeLessThan(50)
})

/** Creates a full pipe, like one whose reader has stalled. */
function createFullPipe(dir: string) {
  const path = join(dir, 'log')
  execFileSync('mkfifo', [path])
  const end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const line = Buffer.alloc(4096, 'x')
  try {
    for (;;) writeSync(end, line)
  } catch {
    // The pipe is full.
  }
  return { path, end }
}

it('serves the page while nothing reads the log', async () => {
  const { dataDir } = await createLocation('sqlite')
  const pipe = createFullPipe(dataDir)
  const stderr = openSync(pipe.path, 'r+')
  const server = spawnServer({ DATA_DIR: dataDir }, { stderr })
  closeSync(stderr)
  const url = await server.findUrl()
  expect((await fetch(url)).status).toBe(200)
  const reader = new Socket({ fd: pipe.end, readable: true })
  onTestFinished(() => {
    reader.destroy()
  })
  let log = ''
  reader.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  await waitUntil(() => log.includes('listening'))
  expect(await server.kill('SIGTERM')).toBe(0)
  await waitUntil(() => log.includes('stopped'))
})
