import { randomBytes } from 'node:crypto'
import { HttpBuyer, originsOf, RequestRejected } from '@pi-checkout/test-support/http-buyer'
import { RawConnection, requestBytes } from '@pi-checkout/test-support/raw-http'
import { startService } from '@pi-checkout/test-support/stack'
import { createIntent, retrieve } from '../fixtures/api.ts'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

const numbers = Array.from({ length: 40 }, (_, number) => number)

/** Claims another client address, in every header that proxies use. */
function claimed(number: number): Record<string, string> {
  const address = `203.0.113.${number}`
  return {
    'x-forwarded-for': address,
    'x-real-ip': address,
    forwarded: `for=${address}`,
    'cf-connecting-ip': address,
  }
}

test('limits a client that claims other addresses, at the API and at the shop (threat 32)', async ({
  stack,
}) => {
  const limited = await startService(['--memory'], { PI_RATE_LIMIT: '5' })
  const request = (number: number, api = limited.ready) =>
    retrieve({ api }, 'pi_x', claimed(number))
  const responses = await Promise.all(numbers.map((number) => request(number)))
  const rejected = responses.filter(({ status }) => status === 429)
  expect(rejected.length).toBeGreaterThan(0)
  expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  const wrongKey = { ...limited.ready, apiKey: 'wrong' }
  const guesses = await Promise.all(numbers.map((number) => request(number, wrongKey)))
  const early = guesses.filter(({ status }) => status === 401)
  expect(guesses.filter(({ status }) => status === 429)).toHaveLength(40 - early.length)
  // Twenty, and those that the elapsed seconds add.
  expect(early.length).toBeGreaterThanOrEqual(20)
  expect(early.length).toBeLessThan(30)
  await limited.stop()

  const connection = new RawConnection(new URL(stack.nodeShop).port)
  const sid = randomBytes(32).toString('base64url')
  const statuses: number[] = []
  for (const number of numbers.slice(0, 12)) {
    const headers = {
      ...{ host: new URL(stack.shopUrl).host, origin: stack.shopUrl, cookie: `sid=${sid}` },
      ...{ 'content-type': 'application/json', ...claimed(number) },
    }
    const sent = requestBytes('POST /checkout/handoff', headers, '{}')
    statuses.push((await connection.send(sent)).status)
  }
  connection.close()
  expect(statuses).toEqual([...Array(10).fill(404), 429, 429])
})

test('limits an intent to ten cards, an address to none, and shows alike declines (threat 66)', async ({
  stack,
}) => {
  const declines: string[] = []
  const first = await openSession(stack, stack.api.apiKey)
  const second = await openSession(stack, stack.api.apiKey)
  for (const [buyer, number] of [
    [first, '4000000000000002'],
    [first, '4000000000009987'],
    [second, '4000000000009979'],
  ] as const) {
    const { lastPaymentFailure } = await buyer.pay<{ lastPaymentFailure: object }>(number)
    const text = JSON.stringify(lastPaymentFailure)
    declines.push(text.replace(/"occurredAt":"[^"]*"|"retryable":\w+/g, ''))
  }
  expect(new Set(declines).size).toBe(1)

  const merchant = ['--merchant', 'Carded', '--environment', 'live', '--json']
  const { apiKey } = JSON.parse(await stack.administer('keys', 'create', ...merchant))
  await stack.administer('origins', 'add', stack.shopUrl, ...merchant)
  for (let intents = 0; intents < 4; intents++) {
    const buyer = await openSession(stack, apiKey, claimed(intents))
    for (let cards = 0; cards < 10; cards++) await buyer.pay('4000000000000002')
    const eleventh = await buyer.pay().catch((error: RequestRejected) => error)
    expect(eleventh).toBeInstanceOf(RequestRejected)
    expect(eleventh).toMatchObject({ status: 409, code: 'intent_finalized' })
  }
})

async function openSession(
  stack: CrossSiteStack,
  apiKey: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpBuyer> {
  const buyer = new HttpBuyer(originsOf(stack), { headers })
  await buyer.openSession(await createIntent({ api: { ...stack.api, apiKey } }))
  return buyer
}
