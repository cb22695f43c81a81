import { once } from 'node:events'
import { apiKeyPattern } from '@pi-checkout/contract'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { serve, temporaryFolder } from '../support/lifetime.ts'
import { administer, startTestService, type TestService } from '../support/service.ts'

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

test('keeps the environment and its key over a restart, until the key is revoked', async () => {
  const data = temporaryFolder()
  const start = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const { apiKey, stop } = await startTestService(env)
    await stop()
    return apiKey
  }
  const environmentOf = (apiKey: string) => apiKeyPattern.exec(apiKey)?.[2]
  const first = await start({ PI_DATA_DIR: data })
  expect(await start({ PI_DATA_DIR: data })).toBe(first)
  const [key] = (await administer(data, ({ listKeys }, db) => listKeys(db))).keys
  await administer(data, ({ revokeKey }, db) => revokeKey(db, key?.id ?? ''))
  const after = await start({ PI_DATA_DIR: data })
  expect(after).not.toBe(first)
  expect([environmentOf(after), environmentOf(first)?.length]).toEqual([environmentOf(first), 16])
  expect(environmentOf(await start({}))).not.toBe(environmentOf(first))
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
