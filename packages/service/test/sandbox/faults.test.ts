import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { isReplay, type Merchant, order, startTestService } from '../support/service.ts'

const service = await startTestService()
const other = await service.newKey('Sevan Books')
const live = await service.newKey('Tsiran', 'live')
const [environment, otherEnvironment] = [service.environmentId, other.environmentId]
const path = (of = environment): string => `/environments/${of}/faults`

afterEach(async () => {
  for (const id of [environment, otherEnvironment]) await service.control('DELETE', path(id))
})

const addRule = (rule: object, of?: string) => service.control('POST', path(of), rule)

async function rulesOf(of?: string) {
  const listed = await (await service.control('GET', path(of))).json()
  return (listed as { rules: { id: number; do: string }[] }).rules
}

/** Sends creates one after another, and returns their HTTP statuses. */
async function statuses(...merchants: Merchant[]): Promise<readonly number[]> {
  const sent: number[] = []
  for (const merchant of merchants) sent.push((await merchant.create()).status)
  return sent
}

test.each([
  ['drop-before-commit', 'no', false],
  ['drop-after-commit', 'no', true],
  ['truncate-body', 201, true],
  ['stall-body', 201, true],
  ['malformed-json', 201, true],
])('breaks the response with %s: %s status, stored %s', async (fault, status, isStored) => {
  const key = { 'idempotency-key': fault }
  const response = service.create(order, { ...key, 'sandbox-fault': fault })
  expect(await response.then((received) => received.status).catch(() => 'no')).toBe(status)
  const late = sleep(300).then(() => Promise.reject(new Error('late')))
  const body = response.then(async (received) => (await received.json()) as unknown)
  await expect(Promise.race([body, late])).rejects.toThrow()
  expect(isReplay(await service.create(order, key))).toBe(isStored)
})

test('applies a rule to its operation and test environment only, as often as it says', async () => {
  await addRule({ on: 'retrieve', do: '503' })
  expect((await addRule({ on: 'create', do: '503', times: 2 })).status).toBe(201)
  await addRule({ on: 'create', do: '429', times: 1 }, otherEnvironment)
  const sent = await statuses(live, other, other, service, service, service)
  expect(sent).toEqual([201, 429, 201, 503, 503, 201])
  const { id } = await service.created()
  const reads = [await service.retrieve(id), await service.retrieve(id)]
  expect(reads.map(({ status }) => status)).toEqual([503, 200])
})

test('ignores the fault header in a live environment', async () => {
  for (const fault of ['drop-after-commit', '500', 'unheard-of']) {
    expect((await live.create(order, { 'sandbox-fault': fault })).status).toBe(201)
  }
})

test('lists, removes, and clears the rules of one environment only', async () => {
  await addRule({ on: 'create', do: '503' })
  await addRule({ on: 'create', do: 'delay=1' }, otherEnvironment)
  const [foreign] = await rulesOf(otherEnvironment)
  expect((await service.control('DELETE', `${path()}/${foreign?.id}`)).status).toBe(404)
  expect((await rulesOf()).map((rule) => rule.do)).toEqual(['503'])
  expect((await rulesOf(otherEnvironment)).map((rule) => rule.do)).toEqual(['delay=1'])
  for (const [method, at] of [
    ['DELETE', path()],
    ['POST', `/environments/${environment}/reset`],
  ] as const) {
    await addRule({ on: 'create', do: '500' })
    await service.control(method, at)
    expect([await rulesOf(), await rulesOf(otherEnvironment)]).toEqual([[], [expect.anything()]])
  }
})

test('applies the faults of a header, such as a delay, to its request only', async () => {
  const broken = service.create(order, { 'sandbox-fault': 'delay=400,503' })
  const late = broken.then(() => 'late')
  expect(await Promise.race([statuses(service, other), late])).toEqual([201, 201])
  expect((await broken).status).toBe(503)
})

test('keeps a rule when a request is rejected for another reason', async () => {
  await addRule({ on: 'create', do: '503', times: 1 })
  expect((await service.create({ ...order, amount: 0 })).status).toBe(400)
  expect(await statuses(service)).toEqual([503])
})

test('rejects an unknown fault and names the known ones', async () => {
  const response = await service.create(order, { 'sandbox-fault': 'explode' })
  const detail = expect.stringContaining('drop-after-commit')
  expect(await response.json()).toMatchObject({ code: 'invalid_header', detail })
  expect((await addRule({ on: 'create', do: 'explode' })).status).toBe(400)
})

test('ends delayed and stalled requests at a stop', async () => {
  const stopped = await startTestService()
  const delayed = stopped.create(order, { 'sandbox-fault': 'delay=25000' })
  const stalled = await stopped.create(order, { 'sandbox-fault': 'stall-body' })
  const ends = Promise.all([delayed, expect(stalled.json()).rejects.toThrow()])
  expect(await Promise.race([sleep(3000, 'late'), stopped.stop()])).toBeUndefined()
  expect((await ends)[0].status).toBe(201)
  expect(stopped.logged).toEqual([])
})
