import { once } from 'node:events'
import { apiKeyPattern } from '@pi-checkout/contract'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { serve, temporaryFolder } from '../support/lifetime.ts'
import { order, startTestService, type TestService } from '../support/service.ts'

const directory = temporaryFolder()

/** Returns a create without its body. The service sends `100 Continue` when it waits for the body. */
function beginningOf({ url, apiKey }: TestService, length: number): string {
  return [
    'POST /payment-intents HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Expect: 100-continue',
    '',
    '',
  ].join('\r\n')
}

test('leaves the directory to the next start if its port is in use', async () => {
  const { port } = new URL(await serve(() => {}))
  const start = startTestService({ PI_DATA_DIR: directory }, { flags: { port } })
  await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
  await (await startTestService({ PI_DATA_DIR: directory })).stop()
})

test('keeps the environment and its key over a restart, unlike another store', async () => {
  const data = temporaryFolder()
  const keys: string[] = []
  for (const env of [
    { PI_DATA_DIR: data },
    { PI_DATA_DIR: data },
    { PI_DATA_DIR: temporaryFolder() },
    {},
  ]) {
    const { apiKey, stop } = await startTestService(env)
    await stop()
    keys.push(apiKey)
  }
  expect(keys[1]).toBe(keys[0])
  const environments = keys.map((apiKey) => apiKeyPattern.exec(apiKey)?.[2])
  expect(environments.map((each) => each?.length)).toEqual([16, 16, 16, 16])
  expect(new Set(environments).size).toBe(3)
})

test('closes the connection of a request that began before the drain', async () => {
  const service = await startTestService({ PI_DRAIN_MS: '500' })
  const slow = await openSocket(new URL(service.url).port)
  const body = JSON.stringify(order)
  slow.write(beginningOf(service, body.length))
  await once(slow, 'data')
  const stopped = service.stop()
  slow.write(body)
  const [response] = await once(slow, 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 201 .*\r\nconnection: close\r\n/s)
  await stopped
})

test('stops within ten seconds regardless of its clients', async () => {
  const service = await startTestService({ PI_DATA_DIR: directory })
  // A client whose body never arrives completely.
  const slow = await openSocket(new URL(service.url).port)
  slow.write(beginningOf(service, 50))
  // The service waits for the body now.
  await once(slow, 'data')
  const begin = performance.now()
  const ends = once(slow, 'close')
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  await ends
})
