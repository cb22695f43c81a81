import { afterEach, expect, test, vi } from 'vitest'
import { createHandoff, type HandoffOptions } from '../../src/index.ts'
import { created, scriptedService } from '../scripted-service.ts'
import { closed, cookieOf, handlerOf, shop } from './shop.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['http://shop.example', /must be https/],
  [undefined, /without a path or default port/],
  [[], /received undefined/],
  [['https://shop.example', 'shop.example'], /received "shop\.example"\. Set the shop/],
])('rejects the shopOrigin %j when the handler is created', (bad, rule) => {
  const create = () => createHandoff({ shopOrigin: bad } as never)
  expect(create).toThrow(/^shopOrigin: must be.*received .*createHandoff\(\)/)
  expect(create).toThrow(rule)
})

test('rejects the origin of the hosted checkout as shopOrigin, and names both', () => {
  for (const variable of ['https://pay.example', 'https://pay.example/']) {
    vi.stubEnv('PI_CHECKOUT_ORIGIN', variable)
    expect(() => handlerOf({ base: 'https://pay.example' })).toThrow(
      /^shopOrigin: is the hosted checkout's, PI_CHECKOUT_ORIGIN.*The hosted checkout's is checkoutOrigin/,
    )
  }
})

const countries = ['https://shop.example', 'https://shop.am']
test.each<[string, HandoffOptions['shopOrigin']]>([
  ['a list', countries],
  [
    'a function of the request',
    async ({ request }) =>
      countries.find((each) => each.endsWith(request.headers.get('host') ?? '-')),
  ],
])(
  'accepts each shopOrigin of %s, and resumes only where the cookie was set',
  async (_, shopOrigin) => {
    const service = await scriptedService(created())
    const { handoff } = shop(service.url, { shopOrigin })
    const [am, other] = ['https://shop.am', 'https://shop.example'].map((at) => ({
      origin: at,
      host: at.slice(8),
    }))
    const first = await handoff({}, am)
    const cookie = cookieOf(first)
    expect(first.status).toBe(200)
    await handoff({}, { ...am, cookie })
    expect(service.requests).toHaveLength(1)
    await handoff({}, { ...other, cookie })
    expect(service.requests).toHaveLength(2)
    const unknown = { origin: 'https://shop.evil', host: 'shop.evil' }
    expect((await handoff({}, unknown)).status).toBe(403)
  },
)

test('a shopOrigin function that returns no origin is an error', async () => {
  const onError = vi.fn()
  const { handoff } = shop(closed, { shopOrigin: () => 'shop.example', onError })
  expect((await handoff({}, { origin: 'shop.example' })).status).toBe(500)
  expect(onError.mock.calls[0]?.[0].error.message).toMatch(
    /^shopOrigin: must be a lowercase origin/,
  )
})
