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
  const found = await findingsOf(env, ['--page', page])
  expect(Object.values(found).filter((line) => !line.startsWith('ok: '))).toEqual([])
  expect(Object.keys(found).join(', ')).toBe(
    'Node.js, PI_API_KEY, PI_BASE_URL, service, clock, PI_HANDOFF_KEYS, PI_CHECKOUT_ORIGIN, checkout, page policy, page referrer, page isolation, page origin',
  )
})

const broken: [string, Record<string, string>, string, RegExp][] = [
  ['a clientSecret as key', { PI_API_KEY: 'pi_1_secret_x' }, 'PI_API_KEY', /secret API key/],
  ['plain http elsewhere', { PI_BASE_URL: 'http://pay.example' }, 'PI_BASE_URL', /must be https/],
  ['no service', { PI_BASE_URL: 'http://127.0.0.1:1' }, 'service', /check PI_BASE_URL/],
  ['short handoff keys', { PI_HANDOFF_KEYS: 'k1:abc' }, 'PI_HANDOFF_KEYS', /node -p/],
  [
    'a path as origin',
    { PI_CHECKOUT_ORIGIN: 'https://a.example/x' },
    'PI_CHECKOUT_ORIGIN',
    /without a path.*received "https:\/\/a\.example\/…"/,
  ],
  [
    'no checkout',
    { PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:1' },
    'checkout',
    /that the checkout runs/,
  ],
]
test.each(broken)('reports %s with its fix', async (_, changes, name, advice) => {
  const { env } = await startStack((response) => void response.end())
  const found = await findingsOf({ ...env, ...changes }, ['--page', 'http://127.0.0.1:1/'])
  expect(found[name]).toMatch(/^fail: /)
  expect(found[name]).toMatch(advice)
})

test('reports a rejected key and a wrong checkout origin', async () => {
  const { env, page } = await startStack((response) => void response.end())
  const rejecting = await scriptedService(problem(401, 'invalid_credentials'))
  const changes = { PI_BASE_URL: rejecting.url, PI_CHECKOUT_ORIGIN: page }
  const found = await findingsOf({ ...env, ...changes }, ['--page', page])
  expect(found.service).toMatch(/^fail: .*invalid_credentials.*set PI_API_KEY/)
  expect(found.checkout).toMatch(/^fail: .*has no \/v1\/pi-checkout\.js/)
  expect(found.page).toMatch(/^fail: was not checked/)
})

test('reports a page with an unregistered origin', async () => {
  const { env, page } = await startStack((response) => void response.end())
  const found = await findingsOf(env, ['--page', page.replace('127.0.0.1', 'localhost')])
  expect(found['page origin']).toMatch(/^fail: .*npx pi-service origins add http:\/\/localhost:/)
})

test('compares the clock with the service and rejects an old Node.js', () => {
  const now = Date.parse('2026-01-01T00:01:00Z')
  expect(checkClock('Thu, 01 Jan 2026 00:00:59 GMT', now).level).toBe('ok')
  expect(checkClock('Thu, 01 Jan 2026 00:00:00 GMT', now).detail).toMatch(/^is 60 s ahead of/)
  expect(checkClock('Thu, 01 Jan 2026 00:05:00 GMT', now).detail).toMatch(/^is 240 s behind/)
  expect(checkClock(null, now).level).toBe('warn')
  expect([checkNode('20.19.0').level, checkNode('24.0.1').level]).toEqual(['ok', 'ok'])
  expect(checkNode('20.18.3').detail).toBe('is 20.18.3. Install 20.19 or newer.')
})

const pages: [string, Record<string, string>, string[]][] = [
  ['no policy', {}, ['warn', 'ok', 'ok']],
  [
    'a frame-src that names the checkout',
    { csp: 'frame-src https://pay.example' },
    ['ok', 'ok', 'ok'],
  ],
  ['a wildcard host', { csp: 'frame-src https://*.example' }, ['ok', 'ok', 'ok']],
  ['a whole scheme', { csp: 'child-src https:' }, ['ok', 'ok', 'ok']],
  ["default-src 'self' alone", { csp: "default-src 'self'" }, ['fail', 'ok', 'ok']],
  ['another port', { csp: 'frame-src https://pay.example:8443' }, ['fail', 'ok', 'ok']],
  [
    'http where the checkout is https',
    { csp: 'frame-src http://pay.example' },
    ['fail', 'ok', 'ok'],
  ],
  ['one of two policies', { csp: "frame-src https:, frame-src 'none'" }, ['fail', 'ok', 'ok']],
  [
    'a directive that comes twice',
    { csp: "frame-src 'none'; frame-src https:" },
    ['fail', 'ok', 'ok'],
  ],
  [
    'a script-src without the checkout',
    { csp: "script-src 'self'", html: 'https://pay.example/v1/pi-checkout.js' },
    ['fail', 'ok', 'ok'],
  ],
  ['no referrer', { referrer: 'no-referrer', csp: 'frame-src *' }, ['ok', 'warn', 'ok']],
  ['cross-origin isolation', { coep: 'require-corp', csp: 'frame-src *' }, ['ok', 'ok', 'fail']],
]
test.each(pages)('checks a page with %s', (_, { csp, referrer, coep, html = '' }, levels) => {
  const headers = new Headers({
    ...(csp && { 'content-security-policy': csp }),
    ...(referrer && { 'referrer-policy': referrer }),
    ...(coep && { 'cross-origin-embedder-policy': coep }),
  })
  const page = {
    url: 'https://shop.test/pay',
    headers,
    html,
    checkoutOrigin: 'https://pay.example',
  }
  expect(checkPage(page).map(({ level }) => level)).toEqual(levels)
})
