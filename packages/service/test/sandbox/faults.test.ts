import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHeldKeys } from '../../src/sandbox/faults/held-keys.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, order, retrieve } from '../support/service.ts'
import { startTwoMerchants, type TwoMerchants } from '../support/two-merchants.ts'

let merchants: TwoMerchants
let service: TwoMerchants['first']
let other: TwoMerchants['second']
let environments: readonly [own: string, others: string]

beforeAll(async () => {
  merchants = await startTwoMerchants()
  service = merchants.first
  other = merchants.second
  environments = [await environmentId(service), await environmentId(service, other.merchant)]
})

afterAll(async () => await merchants.close())

async function addRule(rule: object, environment = environments[0]): Promise<Response> {
  return await control(service, 'POST', `/environments/${environment}/faults`, rule)
}

async function rulesOf(environment: string): Promise<readonly { id: number; do: string }[]> {
  const listed = await control(service, 'GET', `/environments/${environment}/faults`)
  return ((await listed.json()) as { rules: { id: number; do: string }[] }).rules
}

test('an answer dropped after the commit is found again by a retry', async () => {
  const key = { 'idempotency-key': 'dropped' }
  await expect(
    create(service, order, { ...key, 'sandbox-fault': 'drop-after-commit' }),
  ).rejects.toThrow()
  const retry = await create(service, order, key)
  expect(retry.status).toBe(201)
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
})

test('a connection dropped before the commit leaves nothing behind', async () => {
  const key = { 'idempotency-key': 'never-made' }
  await expect(
    create(service, order, { ...key, 'sandbox-fault': 'fail-before-commit' }),
  ).rejects.toThrow()
  expect((await create(service, order, key)).headers.get('idempotent-replayed')).toBeNull()
})

test('a rule breaks the next request of its operation, as often as it says', async () => {
  expect((await addRule({ on: 'create', do: '503', times: 2 })).status).toBe(201)
  const answers = [await create(service), await create(service), await create(service)]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 201])
  expect(answers[0]?.headers.get('retry-after')).toBe('1')
})

test('a rule of one merchant breaks no request of another', async () => {
  await addRule({ on: 'create', do: '503', times: 1 })
  await addRule({ on: 'create', do: '429', times: 1 }, environments[1])
  expect((await create(other)).status).toBe(429)
  expect((await create(other)).status).toBe(201)
  expect((await create(service)).status).toBe(503)
  expect((await create(service)).status).toBe(201)
})

test('a rule breaks no request in the live environment of its merchant', async () => {
  await addRule({ on: 'create', do: '503', times: 1 })
  expect((await create(merchants.live)).status).toBe(201)
  expect((await create(service)).status).toBe(503)
})

test('lists, removes and clears the rules of one merchant only', async () => {
  await addRule({ on: 'create', do: '503' })
  await addRule({ on: 'create', do: 'delay=1' }, environments[1])
  const [foreign] = await rulesOf(environments[1])
  const removed = await control(
    service,
    'DELETE',
    `/environments/${environments[0]}/faults/${foreign?.id}`,
  )
  expect(removed.status).toBe(404)
  expect((await rulesOf(environments[0])).map((rule) => rule.do)).toEqual(['503'])
  expect((await rulesOf(environments[1])).map((rule) => rule.do)).toEqual(['delay=1'])
  await control(service, 'DELETE', `/environments/${environments[0]}/faults`)
  expect(await rulesOf(environments[0])).toEqual([])
  expect(await rulesOf(environments[1])).toHaveLength(1)
  await addRule({ on: 'create', do: '500' })
  await control(service, 'POST', '/reset', { environment: environments[0] })
  expect(await rulesOf(environments[0])).toEqual([])
  expect(await rulesOf(environments[1])).toHaveLength(1)
  await control(service, 'POST', '/reset', {})
  expect(await rulesOf(environments[1])).toEqual([])
})

test('a fault that a header asks for breaks that request only', async () => {
  const broken = create(service, order, { 'sandbox-fault': 'delay=400,503' })
  expect((await create(service)).status).toBe(201)
  expect((await create(other)).status).toBe(201)
  expect((await broken).status).toBe(503)
})

test('an environment that is unknown has no rules', async () => {
  expect((await addRule({ on: 'create', do: '503' }, 'env_unknown')).status).toBe(404)
})

test('a request that is refused for itself uses up no rule', async () => {
  await addRule({ on: 'create', do: '503', times: 1 })
  const answers = [await create(service, { ...order, amount: 0 }), await create(service)]
  expect(answers.map(({ status }) => status)).toEqual([400, 503])
})

test('removes one of several rules; a retrieve has separate rules', async () => {
  await addRule({ on: 'create', do: '500' })
  const added = (await (await addRule({ on: 'retrieve', do: '503' })).json()) as {
    rules: [{ id: number }, object]
  }
  const rule = `/environments/${environments[0]}/faults/${added.rules[0].id}`
  expect((await control(service, 'DELETE', rule)).status).toBe(200)
  expect((await control(service, 'DELETE', rule)).status).toBe(404)
  const made = await create(service)
  expect(made.status).toBe(201)
  const { id } = (await made.json()) as { id: string }
  expect((await retrieve(service, id)).status).toBe(503)
  expect((await retrieve(service, id)).status).toBe(200)
})

test('an answer can be late', async () => {
  const begin = performance.now()
  expect((await create(service, order, { 'sandbox-fault': 'delay=300' })).status).toBe(201)
  // A timer may fire a millisecond early.
  expect(performance.now() - begin).toBeGreaterThan(295)
})

test('lets fifty of two hundred requests wait for one key, and rejects the others immediately', async () => {
  const held = createHeldKeys()
  const first = held.hold('key', 100, async () => 'made')
  const answers = Array.from({ length: 200 }, async () => await held.waitUntilFree('key'))
  const [refused] = [await Promise.race(answers)]
  expect(refused).toBe(false)
  expect((await Promise.all(answers)).filter((isFree) => isFree)).toHaveLength(50)
  expect(await first).toBe('made')
  expect(await held.waitUntilFree('key')).toBe(true)
})

test('a key that several requests hold is free once all of them have ended', async () => {
  const held = createHeldKeys()
  const ended: string[] = []
  const first = held.hold('key', 20, async () => ended.push('first'))
  const second = held.hold('key', 80, async () => ended.push('second'))
  const third = held.hold('key', 20, async () => ended.push('third'))
  await Promise.all([first, third])
  expect(await held.waitUntilFree('key')).toBe(true)
  expect(ended).toContain('second')
  await second
})

test('an answer can be cut short or made unreadable, with the intent made', async () => {
  const cut = { 'idempotency-key': 'cut' }
  const half = await create(service, order, { ...cut, 'sandbox-fault': 'truncate-body' })
  await expect(half.text()).rejects.toThrow()
  expect((await create(service, order, cut)).headers.get('idempotent-replayed')).toBe('true')
  const odd = await create(service, order, { 'sandbox-fault': 'malformed-json' })
  expect(odd.status).toBe(201)
  await expect(odd.json()).rejects.toThrow()
})

test('while the first request with a key is held, a duplicate waits two seconds, then gets 409 (threat 22)', async () => {
  const key = { 'idempotency-key': 'held' }
  const first = create(service, order, { ...key, 'sandbox-fault': 'hold-key=6000' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  // As many as a broken client may send: each gets an answer, and one intent is made.
  const duplicates = await Promise.all(
    Array.from({ length: 200 }, async () => await create(service, order, key)),
  )
  expect(new Set(duplicates.map(({ status }) => status))).toEqual(new Set([409]))
  const [duplicate] = duplicates as [Response]
  expect(duplicate.headers.get('retry-after')).toBe('1')
  expect(await duplicate.json()).toMatchObject({ code: 'idempotency_key_in_use', retryable: true })
  expect((await first).status).toBe(201)
})

test('a fault that does not exist is refused by name', async () => {
  const answer = await create(service, order, { 'sandbox-fault': 'explode' })
  expect(await answer.json()).toMatchObject({
    code: 'invalid_header',
    detail: expect.stringContaining('drop-after-commit'),
  })
  expect((await addRule({ on: 'create', do: 'explode' })).status).toBe(400)
})

test('the sandbox obeys its admin token only', async () => {
  for (const authorization of ['', 'Bearer x', `Bearer ${service.apiKey}`]) {
    const answer = await fetch(`${service.url}/_sandbox/environments/${environments[0]}/faults`, {
      headers: { authorization },
    })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ code: 'invalid_admin_token' })
  }
})
