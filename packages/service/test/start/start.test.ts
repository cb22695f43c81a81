import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { startTestService } from '../support/service.ts'

/** What a start makes; a part that is named here fails. */
const parts = vi.hoisted(() => ({ failing: '', reapers: 0 }))
vi.mock('../../src/app.ts', async (load) => {
  const original = await load<typeof import('../../src/app.ts')>()
  return {
    ...original,
    mainListener: (...given: Parameters<typeof original.mainListener>) => {
      if (parts.failing === 'app') throw new Error('no app')
      return original.mainListener(...given)
    },
    testBankListener: (...given: Parameters<typeof original.testBankListener>) => {
      if (parts.failing === 'test bank') throw new Error('no test bank')
      return original.testBankListener(...given)
    },
  }
})
vi.mock('../../src/intents/reaper.ts', async (load) => {
  const original = await load<typeof import('../../src/intents/reaper.ts')>()
  return {
    ...original,
    startReaper: (...given: Parameters<typeof original.startReaper>) => {
      parts.reapers++
      const stop = original.startReaper(...given)
      return async () => {
        parts.reapers--
        await stop()
      }
    },
  }
})

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pi-start-stop-'))
})
afterAll(async () => await rm(directory, { recursive: true }))
beforeEach(() => {
  parts.failing = ''
})

for (const failing of ['app', 'test bank']) {
  test(`a start that fails at the ${failing} leaves no reaper and no admin socket`, async () => {
    parts.failing = failing
    await expect(startTestService({ PI_DATA_DIR: directory })).rejects.toThrow(`no ${failing}`)
    expect(parts.reapers).toBe(0)
    expect(await sendAdminCommand(directory, { command: 'keys list' })).toBeUndefined()
  })
}

test('a stop ends within ten seconds whatever its clients do', async () => {
  const service = await startTestService({ PI_DATA_DIR: directory })
  const admin = connect(join(directory, 'admin.sock'))
  admin.on('error', () => {})
  await once(admin, 'connect')
  admin.write('{"command":')
  // A client whose body never comes: its response is cut off.
  const { hostname, port } = new URL(service.url)
  const slow = connect(Number(port), hostname)
  slow.on('error', () => {})
  await once(slow, 'connect')
  slow.write(
    `POST /payment-intents HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 50\r\nContent-Type: application/json\r\nAuthorization: Bearer ${service.apiKey}\r\n\r\n{`,
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const begin = performance.now()
  const ends = Promise.all([once(admin, 'close'), once(slow, 'close')])
  const stopped = service.stop()
  const cut = setTimeout(() => admin.destroy(), 15_000)
  await stopped
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(parts.reapers).toBe(0)
  await ends
  clearTimeout(cut)
})
