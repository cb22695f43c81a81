/**
 * The sandbox API with the admin token, as a developer uses it.
 *
 * @module
 */
import { expect } from 'vitest'
import { create, order, type TestService } from './service.ts'

/** Sends one control request. */
export async function control(
  { url, ready }: Pick<TestService, 'url' | 'ready'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Response> {
  return await fetch(`${url}/_sandbox${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ready.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** Returns the id of a merchant's test environment. @default The first merchant's. */
export async function environmentId(
  service: Pick<TestService, 'url' | 'ready'>,
  merchant?: string,
): Promise<string> {
  const { environments } = (await (await control(service, 'GET', '/environments')).json()) as {
    environments: readonly { id: string; merchant: string }[]
  }
  const found = environments.find((each) => merchant === undefined || each.merchant === merchant)
  if (!found) throw new Error(`there is no test environment of ${merchant}`)
  return found.id
}

/** The messages of `/events`. */
export interface Changes {
  /** Reads until this text arrives. Returns everything since the last call. */
  read(text?: string): Promise<string>
  close(): Promise<void>
}

/** Opens the stream of changes. */
export async function openChanges(service: Pick<TestService, 'url' | 'ready'>): Promise<Changes> {
  const stream = await control(service, 'GET', '/events')
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) throw new Error('the stream has no body')
  return {
    read: async (text = '') => {
      let all = ''
      do {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended before ${text}: ${all}`)
        all += value
      } while (!all.includes(text))
      return all
    },
    close: async () => await reader.cancel(),
  }
}

const hour = 3600_000

/**
 * Sends forty requests with an expired key to all instances, then forty with two bodies and another expired key:
 * each key creates one new intent.
 */
export async function raceForExpiredKeys(instances: readonly TestService[]): Promise<void> {
  const [first] = instances
  if (!first) throw new Error('there is no instance')
  const at = (index: number): TestService => instances[index % instances.length] ?? first
  const setClock = async (offset: number): Promise<void> => {
    const { environments } = (await (await control(first, 'GET', '/environments')).json()) as {
      environments: readonly [{ id: string }]
    }
    const path = `/environments/${environments[0].id}/clock`
    // At each: the others would hear of it within five seconds.
    for (const instance of instances) await control(instance, 'PUT', path, { offset })
  }
  const race = async (key: string, bodies: readonly object[]) =>
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const body = bodies[index % bodies.length]
        const answer = await create(at(index >> 1), body, { 'idempotency-key': key })
        const replayed = answer.headers.get('idempotent-replayed') === 'true'
        return { status: answer.status, replayed, text: await answer.text() }
      }),
    )
  const idIn = (text: string): unknown => (JSON.parse(text) as { id?: unknown }).id

  const kept = await (await create(first, order, { 'idempotency-key': 'one-body' })).text()
  const old = await (await create(first, order, { 'idempotency-key': 'two-bodies' })).text()
  await setClock(23 * hour)
  const early = await create(first, order, { 'idempotency-key': 'one-body' })
  expect(await early.text()).toBe(kept)

  await setClock(49 * hour)
  const same = await race('one-body', [order])
  expect(new Set(same.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(same.map(({ text }) => text)).size).toBe(1)
  expect(same.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(idIn(same[0]?.text ?? '')).not.toBe(idIn(kept))

  const mixed = await race('two-bodies', [order, { ...order, amount: 1 }])
  const made = mixed.filter(({ status }) => status === 201)
  expect(made).toHaveLength(20)
  expect(new Set(made.map(({ text }) => text)).size).toBe(1)
  expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(mixed.filter(({ status }) => status === 422)).toHaveLength(20)
  expect(idIn(made[0]?.text ?? '')).not.toBe(idIn(old))
  await setClock(0)
}
