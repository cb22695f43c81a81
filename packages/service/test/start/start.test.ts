import { once } from 'node:events'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { serve, temporaryFolder } from '../support/lifetime.ts'
import { startTestService } from '../support/service.ts'

test('leaves the directory to the next start if its port is in use', async () => {
  const directory = temporaryFolder()
  const { port } = new URL(await serve(() => {}))
  const start = startTestService({ PI_DATA_DIR: directory }, { flags: { port } })
  await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
  await (await startTestService({ PI_DATA_DIR: directory })).stop()
})

test('keeps the environment and its key over a restart, until the key is revoked', async () => {
  const start = async (env: NodeJS.ProcessEnv) => {
    const service = await startTestService(env)
    await service.stop()
    return service
  }
  const env = { PI_DATA_DIR: temporaryFolder() }
  const first = await start(env)
  expect((await start(env)).apiKey).toBe(first.apiKey)
  const { keys } = await first.administer(({ listKeys }, db) => listKeys(db))
  await first.administer(({ revokeKey }, db) => revokeKey(db, keys[0]?.id ?? ''))
  const after = await start(env)
  expect(after.apiKey).not.toBe(first.apiKey)
  expect([after.environmentId, first.environmentId.length]).toEqual([first.environmentId, 20])
  expect((await start({})).environmentId).not.toBe(first.environmentId)
})

test('stops within ten seconds regardless of its clients', async () => {
  const service = await startTestService()
  const { host, port } = new URL(service.url)
  // A client whose body never arrives. The service says that it waits for it.
  const slow = await openSocket(port)
  const head = ['POST /payment-intents HTTP/1.1', `Host: ${host}`, 'Expect: 100-continue']
  const authorization = `Authorization: Bearer ${service.apiKey}`
  const body = ['Content-Type: application/json', 'Content-Length: 50', '', '']
  slow.write([...head, authorization, ...body].join('\r\n'))
  await once(slow, 'data')
  const begin = performance.now()
  const ends = once(slow, 'close')
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  await ends
})
