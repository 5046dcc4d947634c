import { expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestDesk } from '#testing/desk.ts'
import { waitUntil } from '#testing/processes.ts'

it('shows its page without leads while the database hangs', async () => {
  const findWarnings = () => new Promise<string[]>(() => {})
  const { call, signIn } = createTestDesk(await openTestDatabase('sqlite'), { findWarnings })
  const cookie = await signIn()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = call('GET', '/', { cookie })
  await waitUntil(() => vi.getTimerCount() > 0)
  vi.advanceTimersByTime(1_500)
  expect((await asked).text).toBe('{}')
})
