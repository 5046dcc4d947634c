import { type FaultLog, nameError } from '../log.ts'
import { listDevices, type PushDevice } from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'

/**
 * Reads the devices, once at a time however many ask. Who asks with little patience, or while the
 * database cannot say, gets those that are known from before: a lead does not wait for a ring.
 */
export function createDeviceReader(db: Database, faults: FaultLog) {
  let known: readonly PushDevice[] = []
  let reading: Promise<void> | undefined
  const read = async () => {
    try {
      known = await listDevices(db)
      faults.clear('devices', 'phones ring again')
    } catch (error) {
      faults.report('devices', { error: nameError(error) }, 'no new phone rings: see the database')
    }
    reading = undefined
  }
  return async (patienceMs?: number): Promise<readonly PushDevice[]> => {
    reading ??= read()
    if (patienceMs === undefined) await reading
    else {
      let timer: ReturnType<typeof setTimeout> | undefined
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceMs)
      })
      await Promise.race([reading, tooLong])
      clearTimeout(timer)
    }
    return known
  }
}
