import { openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'
import { exchange } from '../fixtures/raw.ts'

test('a page that calls the API with a secret key is refused, and may not read the answer (threat 1)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  world.evil.serve('/', '')
  await page.goto(world.evil.origin)
  const read = await page.evaluate(
    async ({ url, key }) => {
      const attempts: [string, RequestInit][] = [
        ['/pi_111111111111111111111111', { headers: { authorization: `Bearer ${key}` } }],
        ['', { method: 'POST', mode: 'no-cors', body: '{}' }],
        ['/pi_222222222222222222222222', { mode: 'cors' }],
      ]
      return Promise.all(
        attempts.map(([path, init]) =>
          fetch(url + path, init).then(
            (answer) => answer.text(),
            () => 'unreadable',
          ),
        ),
      )
    },
    { url: `${world.api.baseUrl}/payment-intents`, key: world.api.apiKey },
  )
  // Not even the empty text of an opaque answer: its policy for embedding says same-origin.
  expect(read).toEqual(['unreadable', 'unreadable', 'unreadable'])
  // The browser tells nobody what it kept from the page; the service's own log does.
  const log = async () =>
    (await noted(world, 'requests')).map(
      ({ method, path, status }) => `${method} ${path} ${status}`,
    )
  await expect.poll(log).toEqual(
    expect.arrayContaining([
      // The question before a key leaves the page. No id is shown that is nobody's here.
      'OPTIONS /payment-intents/pi_… 405',
      'POST /payment-intents 403',
      'GET /payment-intents/pi_… 403',
    ]),
  )
  // One GET without a key; the one with it was never sent.
  expect((await log()).filter((line) => line === 'GET /payment-intents/pi_… 403')).toHaveLength(1)
  const rules = (await noted(world, 'lint')).map(({ rule }) => rule)
  expect(rules).toContain('secret_key_in_browser')
})

/** What the service's sandbox has noted, of the first environment or of nobody known. */
async function noted(
  { api }: Pick<HostileWorld, 'api'>,
  what: 'requests' | 'lint',
): Promise<readonly Record<string, unknown>[]> {
  const ask = async (path: string): Promise<Record<string, Record<string, unknown>[]>> => {
    const headers = { authorization: `Bearer ${api.adminToken}` }
    return await (await fetch(`${api.baseUrl}/_sandbox${path}`, { headers })).json()
  }
  const { environments = [] } = await ask('/environments')
  const answer = await ask(`/environments/${environments[0]?.id}/${what}`)
  return Object.values(answer)[0] ?? []
}

test('neither the shop nor another site can call the checkout’s private API, with or without a session (threat 58)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  const session = page.waitForResponse('**/checkout-api/session')
  const handoff = await openCheckout(page)
  const { token } = (await (await session).json()) as { readonly token: string }
  const url = `${world.checkoutOrigin}/checkout-api`
  world.evil.serve('/', '')
  const outside = await page.context().newPage()
  for (const origin of [world.shopUrl, world.evil.origin]) {
    await outside.goto(origin)
    // The shop's own policy stops the request before it leaves; the service must not rely on that.
    const statuses: number[] = []
    outside.on('response', (response) => {
      if (response.url().includes('/checkout-api/')) statuses.push(response.status())
    })
    const read = await outside.evaluate(
      async ({ api, bearer, pair, own }) => {
        const json = { 'content-type': 'application/json' }
        const authorization = `Bearer ${bearer}`
        const body = JSON.stringify({ ...pair, origin: own })
        const attempts: [string, RequestInit][] = [
          ['session', { method: 'POST', headers: json, body }],
          ['session', { method: 'POST', mode: 'no-cors', body }],
          ['intent', { headers: { authorization } }],
          ['intent', { mode: 'no-cors' }],
          ['cancel', { method: 'POST', headers: { ...json, authorization }, body: '{}' }],
          ['cancel', { method: 'POST', mode: 'no-cors', body: '{}' }],
        ]
        const seen: string[] = []
        for (const [path, init] of attempts) {
          seen.push(
            await fetch(`${api}/${path}`, init).then(
              (answer) => answer.text(),
              () => 'unreadable',
            ),
          )
        }
        return seen.filter((answer) => answer !== 'unreadable' && answer !== '')
      },
      { api: url, bearer: token, pair: handoff, own: world.shopUrl },
    )
    expect(read, origin).toEqual([])
    expect(
      statuses.filter((status) => status < 400),
      origin,
    ).toEqual([])
  }
  await outside.close()
  await page.reload()
  await expect(page.frameLocator('pi-checkout iframe').getByLabel('Card number')).toBeVisible()
})

test('a name that an attacker points at this machine gets neither page nor token nor data (threat 17)', async ({
  page,
  world,
}) => {
  const { id, clientSecret } = await openCheckout(page)
  const service = new URL(world.api.baseUrl)
  const challenge = new URL(world.challengeOrigin)
  // From Node, because a rebound name is one that the browser believes in.
  for (const [host, port, path] of [
    ['evil.localhost', service.port, `/checkout/${id}`],
    ['evil.example', service.port, `/checkout/${id}`],
    ['evil.localhost', service.port, '/checkout-api/session'],
    ['evil.localhost', service.port, '/_sandbox/'],
    ['evil.localhost', service.port, '/_sandbox/export'],
    ['pay.localhost.evil.example', service.port, '/_sandbox/export'],
    ['evil.localhost', challenge.port, '/challenge'],
  ] as const) {
    const answer = await rawGet({ host, port, path, token: world.api.adminToken })
    expect(answer, `${host} ${path}`).toMatch(/^HTTP\/1\.1 (?:400|404) /)
    expect(answer).not.toContain(clientSecret)
    expect(answer).not.toContain(orderOf(page))
    expect(answer).not.toContain('<html')
  }
})

async function rawGet({
  host,
  port,
  path,
  token,
}: {
  readonly host: string
  readonly port: string
  readonly path: string
  readonly token: string
}): Promise<string> {
  return exchange(port, [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    `Authorization: Bearer ${token}`,
    'Connection: close',
    '',
    '',
  ])
}
