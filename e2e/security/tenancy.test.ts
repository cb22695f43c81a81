import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'

interface Tenant {
  readonly name: string
  readonly key: string
}

test('two merchants in two environments each learn nothing of one another by status, header, body or replay (threats 8, 18)', async ({
  world,
}) => {
  const tenants: Tenant[] = []
  for (const merchant of ['Ararat', 'Aragats']) {
    for (const environment of ['test', 'live']) {
      const made = await world.administer(
        ...['keys', 'create', '--merchant', merchant, '--environment', environment, '--json'],
      )
      const { apiKey } = JSON.parse(made) as { readonly apiKey: string }
      tenants.push({ name: `${merchant} ${environment}`, key: apiKey })
    }
  }
  const body = JSON.stringify({ orderId: 'A-1', amount: 150_000, currency: 'AMD' })
  const made = await Promise.all(
    tenants.map(async (tenant) => {
      const answer = await ask(world, tenant, {
        path: '/payment-intents',
        body,
        idempotency: 'one-key',
      })
      expect(answer.status).toBe(201)
      expect(answer.headers).not.toContain('idempotent-replayed')
      return JSON.parse(answer.body) as { readonly id: string; readonly clientSecret: string }
    }),
  )
  // The same key and the same body: each has an intent and a secret of its own.
  expect(new Set(made.map(({ id }) => id)).size).toBe(4)
  expect(new Set(made.map(({ clientSecret }) => clientSecret)).size).toBe(4)

  for (const [reader, tenant] of tenants.entries()) {
    const answers = await Promise.all([
      ...made.map(({ id }) => ask(world, tenant, { path: `/payment-intents/${id}` })),
      ask(world, tenant, { path: `/payment-intents/pi_${'0'.repeat(24)}` }),
      ask(world, tenant, { path: '/payment-intents/nothing' }),
    ])
    expect(answers[reader]?.status).toBe(200)
    const others = answers.filter((_, owner) => owner !== reader).map(withoutRequestId)
    for (const other of others) expect(other).toEqual(others[0])
    expect(others[0]?.status).toBe(404)

    const conflict = await ask(world, tenant, {
      path: '/payment-intents',
      body: body.replace('150000', '150001'),
      idempotency: 'one-key',
    })
    expect(conflict.status).toBe(422)
    for (const { id } of made) expect(conflict.body).not.toContain(id)
    expect(conflict.body).not.toMatch(/A-1|150000/)
  }
})

test('a foreign intent takes neither more nor less time than one that never was (threat 8)', async ({
  world,
}) => {
  const key = async (merchant: string): Promise<Tenant> => {
    const who = ['--merchant', merchant, '--environment', 'test', '--json']
    const made = JSON.parse(await world.administer('keys', 'create', ...who))
    return { name: merchant, key: made.apiKey }
  }
  const [owner, stranger] = [await key('Timed'), await key('Timing')]
  const body = JSON.stringify({ orderId: 'A-1', amount: 150_000, currency: 'AMD' })
  const made = await ask(world, owner, { path: '/payment-intents', body })
  const { id } = JSON.parse(made.body) as { readonly id: string }
  const unknown = `pi_${'0'.repeat(id.length - 3)}`
  // In turns, so that whatever else the machine does meets both alike; the median forgets the rest.
  const ratio = async (): Promise<number> => {
    const times: Record<string, number[]> = { [id]: [], [unknown]: [] }
    for (let turn = 0; turn < 150; turn++) {
      for (const path of turn % 2 ? [id, unknown] : [unknown, id]) {
        const began = performance.now()
        await ask(world, stranger, { path: `/payment-intents/${path}` })
        times[path]?.push(performance.now() - began)
      }
    }
    return median(times[id] ?? []) / median(times[unknown] ?? [])
  }
  // A difference that is there is there each time.
  let seen = 0
  for (let tries = 0; tries < 4 && !(seen > 0.8 && seen < 1.25); tries++) seen = await ratio()
  expect(seen).toBeGreaterThan(0.8)
  expect(seen).toBeLessThan(1.25)
})

test('a key with one character changed, an empty, a long and a foreign token get one and the same 401, never a 5xx (threat 9)', async ({
  world,
}) => {
  const { apiKey } = world.api
  const last = apiKey.endsWith('0') ? '1' : '0'
  const tokens = [
    `${apiKey.slice(0, -1)}${last}`,
    apiKey.slice(0, -1),
    apiKey.replace('pi_sk_test_', 'pi_sk_live_'),
    `pi_sk_test_${'a'.repeat(36)}`,
    'x',
    'a'.repeat(10_000),
  ]
  const answers = await Promise.all(
    tokens.map((key) => ask(world, { name: '', key }, { path: '/payment-intents/pi_x' })),
  )
  const bodies = answers.map((answer) => withoutRequestId(answer).body)
  expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 401))
  expect(new Set(bodies).size).toBe(1)
})

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

async function ask(
  { api }: HostileWorld,
  { key }: Tenant,
  { path, body, idempotency }: { path: string; body?: string; idempotency?: string },
): Promise<Answer> {
  const answer = await fetch(api.baseUrl + path, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(idempotency ? { 'idempotency-key': idempotency } : {}),
    },
    ...(body ? { method: 'POST', body } : {}),
  })
  return { status: answer.status, headers: [...answer.headers.keys()], body: await answer.text() }
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function withoutRequestId({ status, headers, body }: Answer): Answer {
  return { status, headers, body: body.replace(/"requestId":"[^"]*"/, '') }
}
