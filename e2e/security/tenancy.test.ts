import { type Api, create, retrieve } from '../fixtures/api.ts'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

const unknownId = `pi_${'0'.repeat(24)}`

test('retrieves another merchant’s and an unknown intent in the same time (threat 8)', async ({
  stack,
}) => {
  const [owner, other] = [await newTenant(stack, 'Timed'), await newTenant(stack, 'Timing')]
  const { id } = (await (await create(owner)).json()) as { readonly id: string }
  // In turns, so that other load of the host affects both; the median ignores the rest.
  const ratio = async (): Promise<number> => {
    const times: Record<string, number[]> = { [id]: [], [unknownId]: [] }
    for (let turn = 0; turn < 150; turn++) {
      for (const read of turn % 2 ? [id, unknownId] : [unknownId, id]) {
        const startedAt = performance.now()
        await (await retrieve(other, read)).text()
        times[read]?.push(performance.now() - startedAt)
      }
    }
    return median(times[id] ?? []) / median(times[unknownId] ?? [])
  }
  // A real difference shows in each try.
  let measured = 0
  for (let tries = 0; tries < 4 && !(measured > 0.8 && measured < 1.25); tries++) {
    measured = await ratio()
  }
  expect(measured).toBeGreaterThan(0.8)
  expect(measured).toBeLessThan(1.25)
})

test('returns one 401 for a changed, cut, long, and unknown key (threat 9)', async ({ stack }) => {
  const { apiKey, baseUrl } = stack.api
  const last = apiKey.endsWith('0') ? '1' : '0'
  const keys = [
    `${apiKey.slice(0, -1)}${last}`,
    apiKey.slice(0, -1),
    apiKey.replace('pi_sk_test_', 'pi_sk_live_'),
    `pi_sk_test_${'a'.repeat(36)}`,
    'x',
    'a'.repeat(10_000),
  ]
  const responses = await Promise.all(
    keys.map(async (key) => read(await retrieve({ api: { baseUrl, apiKey: key } }, 'pi_x'))),
  )
  expect(responses.map(({ status }) => status)).toEqual(keys.map(() => 401))
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
})

async function newTenant(stack: CrossSiteStack, merchant: string): Promise<Api> {
  const args = ['--merchant', merchant, '--environment', 'test', '--json']
  const { apiKey } = JSON.parse(await stack.administer('keys', 'create', ...args))
  return { api: { baseUrl: stack.api.baseUrl, apiKey } }
}

/** What a response discloses, without its request id. */
async function read(
  response: Response,
): Promise<{ readonly status: number; readonly headers: string[]; readonly body: string }> {
  const body = (await response.text()).replace(/"req_\w+"/g, '""')
  return { status: response.status, headers: [...response.headers.keys()], body }
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
