import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/lifetime.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, created, order, retrieve, startTestService } from '../support/service.ts'

/** Starts the service of a directory. `read` reads a list of its environment. */
async function start(directory: string) {
  const service = await startTestService({ PI_DATA_DIR: directory })
  const path = `/environments/${await environmentId(service)}`
  return {
    ...service,
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses field by field
    read: async (list: string): Promise<any> =>
      await (await control(service, 'GET', `${path}/${list}`)).json(),
    clear: async () => await control(service, 'DELETE', `${path}/requests`),
  }
}

const logIn = (directory: string): string => join(directory, 'requests-2.jsonl')

test('the log survives a restart: requests, their repeats, bodies, and keys', async () => {
  const directory = temporaryFolder()
  const before = await start(directory)
  const { id } = await created(before, order, { 'idempotency-key': 'kept' })
  await create(before, { ...order, amount: 0 })
  for (let times = 0; times < 3; times++) await retrieve(before, id)
  await expect
    .poll(() => before.read('requests'))
    .toMatchObject({ requests: [{ repeats: 2 }, {}, {}] })
  const { requests } = await before.read('requests')
  const failed = `requests/${requests[1].requestId}`
  const kept = [requests, await before.read(failed), await before.read('idempotency')]
  await before.stop()

  const after = await start(directory)
  const { requests: restored, since } = await after.read('requests')
  expect([restored, await after.read(failed), await after.read('idempotency')]).toEqual(kept)
  expect(since).toBeNull()
  await retrieve(after, id)
  await expect
    .poll(() => after.read('requests'))
    .toMatchObject({ requests: [{ number: 4, repeats: 0 }, { number: 3, repeats: 2 }, {}, {}] })

  await after.clear()
  await after.stop()
  expect((await (await start(directory)).read('requests')).requests).toEqual([])
})

test('the log is written while the service runs, and a crash spoils no other line', async () => {
  const directory = temporaryFolder()
  const first = await start(directory)
  await created(first, { ...order, orderId: 'WRITTEN-1' })
  const written = (): string =>
    readdirSync(directory).includes('requests-2.jsonl')
      ? readFileSync(logIn(directory), 'utf8')
      : ''
  await expect.poll(written, { timeout: 30_000 }).toContain('WRITTEN-1')
  await first.stop()
  appendFileSync(logIn(directory), '{"a":1}\n[]\nnull\n{"number":2,"at":"2026-')
  const second = await start(directory)
  await created(second, { ...order, orderId: 'WRITTEN-2' })
  await second.stop()
  const { requests } = await (await start(directory)).read('requests')
  expect(requests).toMatchObject([
    { order: { orderId: 'WRITTEN-2' } },
    { order: { orderId: 'WRITTEN-1' } },
  ])
})

test('the file of the log has no credential and no card number, and is for its owner only', async () => {
  const directory = temporaryFolder()
  const service = await start(directory)
  const { apiKey } = service
  const { id, clientSecret } = await created(service)
  const card = '4242424242424242'
  const metadata = { apiKey, card, clientSecret }
  await create(service, { ...order, metadata }, { 'idempotency-key': `key ${apiKey} ${card}` })
  await create(service, { ...order, [apiKey]: 1 })
  await retrieve(service, clientSecret)
  await fetch(`${service.url}/payment-intents/${id}?key=${apiKey}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  await expect.poll(() => service.read('requests')).toMatchObject({ requests: { length: 5 } })
  await service.stop()
  const text = readFileSync(logIn(directory), 'utf8')
  expect(text.trim().split('\n')).toHaveLength(5)
  for (const secret of [apiKey.slice(-20), clientSecret.slice(-20), card]) {
    expect(text).not.toContain(secret)
  }
  expect(statSync(logIn(directory)).mode & 0o777).toBe(0o600)
})
