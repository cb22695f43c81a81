import { afterEach, expect, test, vi } from 'vitest'
import { checkClock, checkNode, doctor } from '../../src/cli/doctor.ts'
import { checkPage, type PolicyFinding } from '../../src/cli/page-policy.ts'
import { cspFor } from '../../src/index.ts'
import { apiKey, problem, type Step, scriptedService } from '../scripted-service.ts'

afterEach(() => vi.unstubAllEnvs())

const handoffKeys = `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`
const unknownIntent = problem(404, 'payment_intent_not_found')

/** Runs doctor and returns its findings by name. */
async function findingsOf(env: Record<string, string>, args: string[] = []) {
  const none = { PI_API_KEY: '', PI_BASE_URL: '', PI_HANDOFF_KEYS: '', PI_CHECKOUT_ORIGIN: '' }
  for (const [name, value] of Object.entries({ ...none, ...env })) vi.stubEnv(name, value)
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const { signal } = new AbortController()
  const code = await doctor(['--json', ...args], { print, warn: print, json: true, signal })
  const { ok, findings }: { ok: boolean; findings: PolicyFinding[] } = JSON.parse(lines.join('\n'))
  expect(ok).toBe(code === 0)
  expect(lines.join('\n')).not.toContain(apiKey)
  return Object.fromEntries(
    findings.map(({ name, level, detail }) => [name, `${level}: ${detail}`]),
  )
}

/** A checkout that serves the element and rejects pages on localhost. */
const checkout: Step = (response, { url, headers }) => {
  if (url === '/v1/pi-checkout.js') {
    return void response.writeHead(200, { 'content-type': 'text/javascript' }).end('')
  }
  const rejected = headers.referer?.includes('localhost')
  response.writeHead(200, { 'content-type': 'text/html' }).end(rejected ? 'origin_not_allowed' : '')
}

async function startStack(shop: Step): Promise<{ env: Record<string, string>; page: string }> {
  const service = await scriptedService(unknownIntent)
  const hosted = await scriptedService(checkout)
  const page = await scriptedService(shop)
  const env = {
    PI_API_KEY: apiKey,
    PI_BASE_URL: service.url,
    PI_HANDOFF_KEYS: handoffKeys,
    PI_CHECKOUT_ORIGIN: hosted.url,
  }
  return { env, page: page.url }
}

test('reports OK for a complete setup and its page', async () => {
  const { env, page } = await startStack((response) => {
    const policy = cspFor({ checkoutOrigin: env.PI_CHECKOUT_ORIGIN ?? '' })
    response.writeHead(200, { 'content-security-policy': policy }).end('<pi-checkout>')
  })
  const testKey = `pi_sk_test_${'a'.repeat(36)}`
  const found = await findingsOf({ ...env, PI_API_KEY: testKey }, ['--page', page])
  expect(found).toEqual({
    'Node.js': `ok: is ${process.versions.node}`,
    PI_API_KEY: 'ok: is valid, for a test environment',
    PI_BASE_URL: `ok: is ${env.PI_BASE_URL}`,
    service: expect.stringMatching(/^ok: responds in \d+ ms and accepts the key$/),
    clock: 'ok: agrees with the clock of the service',
    PI_HANDOFF_KEYS: 'ok: is valid',
    PI_CHECKOUT_ORIGIN: `ok: is ${env.PI_CHECKOUT_ORIGIN}`,
    checkout: `ok: ${env.PI_CHECKOUT_ORIGIN} serves the element`,
    'page policy': `ok: allows ${env.PI_CHECKOUT_ORIGIN}`,
    'page referrer': 'ok: sends the origin of the page to the checkout',
    'page isolation': 'ok: is not cross-origin isolated',
    'page origin': `ok: the checkout does not reject ${page}`,
  })
  expect(await findingsOf({ ...env, PI_HANDOFF_KEYS: '' })).toMatchObject({
    PI_API_KEY: 'ok: is set',
    PI_HANDOFF_KEYS: 'ok: is not set, so a reload repeats the create',
  })
})

const unset = 'environment variable is not set.'
const localhost = 'http://localhost:1'
const broken: [string, Record<string, string>, Record<string, RegExp | string>][] = [
  [
    'a clientSecret as key',
    { PI_API_KEY: 'pi_1_secret_x' },
    {
      PI_API_KEY: 'is a clientSecret. Set it to the secret API key.',
      service: 'was not checked. Set the variables above first.',
    },
  ],
  [
    'plain http elsewhere',
    { PI_BASE_URL: 'http://pay.example' },
    { PI_BASE_URL: /^must be https/ },
  ],
  [
    'no service',
    { PI_BASE_URL: 'http://127.0.0.1:1' },
    {
      service:
        /could not be sent to http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)\. What to do: .*check PI_BASE_URL.*\.$/,
    },
  ],
  [
    'short handoff keys',
    { PI_HANDOFF_KEYS: 'k1:abc' },
    { PI_HANDOFF_KEYS: /^must be k1:.*node -p/ },
  ],
  [
    'a path as origin',
    { PI_CHECKOUT_ORIGIN: 'https://a.example/x' },
    { PI_CHECKOUT_ORIGIN: /^must be .*without a path.*received "https:\/\/a\.example\/…"/ },
  ],
  [
    'no variables',
    { PI_API_KEY: '', PI_BASE_URL: '', PI_CHECKOUT_ORIGIN: '' },
    {
      PI_API_KEY: new RegExp(`^${unset}`),
      PI_BASE_URL: new RegExp(`^${unset}`),
      PI_CHECKOUT_ORIGIN: `${unset} Set it to the origin of the hosted checkout. For the local sandbox, start your shop with "npx pi-service exec -- COMMAND", which sets it.`,
      page: 'was not checked. Fix the checkout above first.',
    },
  ],
  [
    'no checkout',
    { PI_CHECKOUT_ORIGIN: localhost },
    {
      checkout: `${localhost} cannot be reached. Check PI_CHECKOUT_ORIGIN, and that the checkout runs.`,
    },
  ],
  ['no page', {}, { page: 'http://127.0.0.1:1/ cannot be reached. Start the shop.' }],
]
test.each(broken)('reports %s with its fix', async (_, changes, expected) => {
  const { env } = await startStack((response) => void response.end())
  const found = await findingsOf({ ...env, ...changes }, ['--page', 'http://127.0.0.1:1/'])
  for (const [name, advice] of Object.entries(expected)) {
    const [level, detail] = [found[name]?.slice(0, 6), found[name]?.slice(6)]
    expect([name, level]).toEqual([name, 'fail: '])
    expect(detail).toEqual(typeof advice === 'string' ? advice : expect.stringMatching(advice))
  }
})

test('reports a rejected key and a wrong checkout origin', async () => {
  const { env, page } = await startStack((response) => void response.end())
  const rejecting = await scriptedService(problem(401, 'invalid_credentials'))
  const changes = { PI_BASE_URL: rejecting.url, PI_CHECKOUT_ORIGIN: page }
  const found = await findingsOf({ ...env, ...changes }, ['--page', page])
  expect(found.service).toMatch(/^fail: .*invalid_credentials.*set PI_API_KEY/)
  expect(found.checkout).toBe(
    `fail: ${page} has no /v1/pi-checkout.js: it is not the checkout. Set PI_CHECKOUT_ORIGIN to the origin that the service prints.`,
  )
  expect(found.page).toMatch(/^fail: was not checked/)
})

test.each([
  [404, 'text/javascript'],
  [200, 'text/html'],
])('reports a checkout whose element is a %i of %s', async (status, type) => {
  const hosted = await scriptedService(
    (response) => void response.writeHead(status, { 'content-type': type }).end(),
  )
  const { checkout } = await findingsOf({ PI_CHECKOUT_ORIGIN: hosted.url })
  expect(checkout).toMatch(/^fail: .*it is not the checkout/)
})

test('reports a page with an unregistered origin', async () => {
  const { env, page } = await startStack((response) => void response.end())
  const address = page.replace('127.0.0.1', 'localhost')
  const found = await findingsOf(env, ['--page', address])
  expect(found['page origin']).toBe(
    `fail: ${address} is not registered. Run npx pi-service origins add ${address}, or start the service with --shop-origin ${address}.`,
  )
})

test.each([
  ['Thu, 01 Jan 2026 00:00:30 GMT', 'ok: agrees with the clock of the service'],
  ['Thu, 01 Jan 2026 00:01:30 GMT', 'ok: agrees with the clock of the service'],
  [
    'Thu, 01 Jan 2026 00:00:00 GMT',
    'fail: is 60 s ahead of the clock of the service. Synchronize both with NTP.',
  ],
  [
    'Thu, 01 Jan 2026 00:05:00 GMT',
    'fail: is 240 s behind the clock of the service. Synchronize both with NTP.',
  ],
  [null, 'warn: was not compared: the service sends no Date'],
])('compares the clock with the Date %s of the service', (date, expected) => {
  const { name, level, detail } = checkClock(date, Date.parse('2026-01-01T00:01:00Z'))
  expect([name, `${level}: ${detail}`]).toEqual(['clock', expected])
})

test.each([
  ['20.19.0', 'ok', 'is 20.19.0'],
  ['21.0.0', 'ok', 'is 21.0.0'],
  ['20.18.3', 'fail', 'is 20.18.3. Install 20.19 or newer.'],
  ['18.20.0', 'fail', 'is 18.20.0. Install 20.19 or newer.'],
])('checks Node.js %s', (version, level, detail) => {
  expect(checkNode(version)).toEqual({ name: 'Node.js', level, detail })
})

const checkoutOrigin = 'https://pay.example'
const noPolicy =
  'warn: has no Content-Security-Policy, so an injected script can replace the payment form. Send the value of cspFor({ checkoutOrigin }).'
const noFrame = `fail: blocks the frame of the checkout. Add frame-src ${checkoutOrigin}.`
const noScript = `fail: blocks pi-checkout.js. Add script-src ${checkoutOrigin}.`
const html = `${checkoutOrigin}/v1/pi-checkout.js`

/** What doctor finds, other than OK, on a page with a policy, or with other headers. */
const pages: [string, Record<string, string>, Record<string, string>?][] = [
  ['no policy', {}, { 'page policy': noPolicy }],
  ['an empty policy', { csp: ' ; ' }, { 'page policy': noPolicy }],
  ...[
    'frame-src https://pay.example',
    'frame-src https://pay.example:443/checkout/',
    'frame-src https://pay.example:*',
    'frame-src HTTPS://PAY.EXAMPLE',
    'frame-src pay.example',
    'frame-src https://*.example',
    'child-src https:',
    'FRAME-SRC HTTPS:',
    'frame-src *',
    "frame-src 'none' https:",
    "img-src 'none'",
    "default-src 'none'; frame-src https:",
  ].map((csp): (typeof pages)[number] => [csp, { csp }]),
  ...[
    "default-src 'self'",
    'frame-src https://pay.example:8443',
    'frame-src http://pay.example',
    'frame-src http:',
    'frame-src https://shop.example',
    'frame-src https://*.pay.example',
    'frame-src',
    "frame-src https:, frame-src 'none'",
    "frame-src 'none'; frame-src https:",
    "child-src 'none'; default-src https:",
  ].map((csp): (typeof pages)[number] => [csp, { csp }, { 'page policy': noFrame }]),
  [
    'frame-src pay.example, over http',
    { csp: 'frame-src pay.example', url: 'http://shop.test' },
    {
      'page policy': noFrame,
    },
  ],
  ["frame-src 'self', at the checkout", { csp: "frame-src 'self'", url: `${checkoutOrigin}/x` }],
  ['script-src for the checkout', { csp: `script-src ${checkoutOrigin}`, html }],
  ['script-src-elem for it', { csp: "script-src-elem https:; script-src 'self'", html }],
  ["script-src 'self'", { csp: "script-src 'self'", html }, { 'page policy': noScript }],
  [
    "script-src 'self', and a version of the script",
    { csp: "script-src 'self'", html: '"/pi-checkout-1.20.3.js"' },
    { 'page policy': noScript },
  ],
  ["script-src 'self', without the script", { csp: "script-src 'self'" }],
  ...['no-referrer', 'origin, same-origin'].map((referrer): (typeof pages)[number] => [
    referrer,
    { referrer, csp: 'frame-src *' },
    {
      'page referrer': `warn: is ${referrer.split(', ').at(-1)}, so the checkout cannot show why it rejects the page. Send strict-origin-when-cross-origin.`,
    },
  ]),
  ['no-referrer, origin', { referrer: 'no-referrer, origin', csp: 'frame-src *' }],
  ['unsafe-none', { coep: 'unsafe-none', csp: 'frame-src *' }],
  [
    'require-corp',
    { coep: 'require-corp', csp: 'frame-src *' },
    {
      'page isolation':
        'fail: has Cross-Origin-Embedder-Policy: require-corp, which blocks the checkout. Remove it on this page.',
    },
  ],
]
test.each(pages)('checks a page with %s', (_, { csp, referrer, coep, ...page }, expected) => {
  const headers = new Headers({
    ...(csp && { 'content-security-policy': csp }),
    ...(referrer && { 'referrer-policy': referrer }),
    ...(coep && { 'cross-origin-embedder-policy': coep }),
  })
  const found = checkPage({
    ...{ url: 'https://shop.test/pay', headers, html: '', checkoutOrigin },
    ...page,
  })
  expect(found.map(({ name }) => name)).toEqual(['page policy', 'page referrer', 'page isolation'])
  const rest = found.filter(({ level }) => level !== 'ok')
  expect(
    Object.fromEntries(rest.map(({ name, level, detail }) => [name, `${level}: ${detail}`])),
  ).toEqual(expected ?? {})
})
